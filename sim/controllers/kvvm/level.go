package kvvm

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// replaceStalePods is what variant level does about a pod that could not be
// scheduled and is not as the VM wants it. It says whether there was one; an error
// brings the VM back until there is none.
//
// Its order makes it safe to stop anywhere. The KVVM gets the rules that the next
// pod is made of, and with them the UID of the instance that is given up: so the
// power state handler knows, even after a crash, that a failure of that instance is
// no decision of the user. Then the pod is deleted, if it still is the version that
// was looked at: one that was bound since is left alone. Only if that succeeded, the
// instance is asked to be replaced.
func (h *syncKVVM) replaceStalePods(ctx context.Context, p *pass) (bool, error) {
	stale, err := p.stalePods(ctx)
	if err != nil || len(stale) == 0 {
		return err != nil, err
	}
	kvvm, err := buildKVVM(p.current, p.class, p.kvvm)
	if err != nil {
		return true, err
	}
	metav1.SetMetaDataAnnotation(&kvvm.ObjectMeta, AnnReplacedInstance, string(p.kvvmi.UID))
	h.say(p, fmt.Sprintf("pod %s could not be scheduled and is not as the VM wants it: the KVVM is updated and the pod deleted", stale[0].Name))
	if err := h.write(ctx, p.kvvm, kvvm); err != nil {
		return true, err
	}
	for i := range stale {
		pod := &stale[i]
		err := h.client.Delete(ctx, pod, client.Preconditions{UID: &pod.UID, ResourceVersion: ptr.To(pod.ResourceVersion)})
		switch {
		case apierrors.IsNotFound(err):
			// Whoever was faster may have meant to stop the VM.
			return true, nil
		case err != nil:
			return true, fmt.Errorf("delete pod %s as it was at resourceVersion %s: %w", pod.Name, pod.ResourceVersion, err)
		}
	}
	return true, requestReplacement(ctx, h.client, p.kvvm, p.kvvmi)
}

// stalePods are the instance's pods that the scheduler refused and that are not as
// VM and class want them: by their placement, or because something else changed
// that a running VM would have to be restarted for.
func (p *pass) stalePods(ctx context.Context) ([]corev1.Pod, error) {
	if p.current.Spec.RunPolicy == v1alpha2.AlwaysOffPolicy || p.kvvmi == nil || p.kvvmi.DeletionTimestamp != nil || !beforeScheduled(p.kvvmi) {
		return nil, nil
	}
	all, err := p.pods(ctx)
	if err != nil {
		return nil, err
	}
	wanted := wantedPlacement(&p.current.Spec, &p.class.Spec)
	outdated := p.changes.restartUnplaced() || kvvmCondition(p.kvvm, string(kubevirtv1.VirtualMachineRestartRequired)).Status == corev1.ConditionTrue
	return slices.DeleteFunc(all, func(pod corev1.Pod) bool {
		return !owned(&pod, p.kvvmi) || !waits(&pod) || !unschedulable(&pod, p.kvvmi) || !outdated && wanted.fits(&pod, p.kvvmi)
	}), nil
}

// starting says whether changes that take a restart had better wait a moment:
// KubeVirt is about to make the instance. Its fork stops an instance that such a
// change meets before it is scheduled, and may then lose the request to start another
// (kubevirt-behaviour B.6, race R6). If KubeVirt fails to make the instance, the
// changes may be what it takes.
func (p *pass) starting() bool {
	if p.kvvmi != nil || !p.changes.restartUnplaced() || kvvmCondition(p.kvvm, string(kubevirtv1.VirtualMachineFailure)).Status == corev1.ConditionTrue {
		return false
	}
	return p.kvvm.Status.Created || runStrategy(p.kvvm) == kubevirtv1.RunStrategyAlways || startAsked(p.kvvm)
}

// beforeScheduled says whether the instance has no node yet.
func beforeScheduled(kvvmi *kubevirtv1.VirtualMachineInstance) bool {
	switch kvvmi.Status.Phase {
	case kubevirtv1.VmPhaseUnset, kubevirtv1.Pending, kubevirtv1.Scheduling:
		return kvvmi.Status.NodeName == ""
	}
	return false
}

// waits says whether the pod has no node and may still get one.
func waits(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && !podIsFinal(pod)
}

// unschedulable says whether the scheduler gave up on the pod, by the pod itself or
// by its instance, whichever cache is ahead. A pod that was not tried yet is left
// to the scheduler.
func unschedulable(pod *corev1.Pod, kvvmi *kubevirtv1.VirtualMachineInstance) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled {
			return c.Status == corev1.ConditionFalse
		}
	}
	return slices.ContainsFunc(kvvmi.Status.Conditions, func(c kubevirtv1.VirtualMachineInstanceCondition) bool {
		return string(c.Type) == conditionPodIsScheduled && c.Status == corev1.ConditionFalse
	})
}

// neverPlaced says whether the instance failed before its pod had a node: because
// variant level, or somebody else, deleted the pod. The VM then has still to get
// what its user asked for, whatever the run policy says about failures.
func (x situation) neverPlaced(ctx context.Context) (bool, error) {
	if x.kvvmi.Status.Phase != kubevirtv1.Failed || x.kvvmi.Status.NodeName != "" {
		return false, nil
	}
	if x.kvvm.Annotations[AnnReplacedInstance] == string(x.kvvmi.UID) {
		return true, nil
	}
	// The cache of the KVVM may be behind; the pod tells the same.
	all, err := x.pods(ctx)
	all = slices.DeleteFunc(all, func(pod corev1.Pod) bool { return !owned(&pod, x.kvvmi) })
	return len(all) > 0 && all[len(all)-1].Spec.NodeName == "", err
}
