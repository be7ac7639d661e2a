package kvvm

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// state is what the handlers of one pass know. Everything but the VM is read from
// the caches each time that it is asked for, so two handlers of one pass may see
// different versions (upstream-verdicts 2.5).
type state struct {
	reader  client.Reader
	current *v1alpha2.VirtualMachine // as it was when the pass began
	changed *v1alpha2.VirtualMachine // as it will be written
	// shutdown is what the pods handler found out about a VM that has ended.
	shutdown shutdown
}

func (s *state) key() client.ObjectKey { return client.ObjectKeyFromObject(s.current) }

func (s *state) deleting() bool { return s.current.DeletionTimestamp != nil }

// kvvm is KubeVirt's VM, or nil.
func (s *state) kvvm(ctx context.Context) (*kubevirtv1.VirtualMachine, error) {
	return read(ctx, s.reader, s.key(), &kubevirtv1.VirtualMachine{})
}

// kvvmi is KubeVirt's instance of the VM, or nil.
func (s *state) kvvmi(ctx context.Context) (*kubevirtv1.VirtualMachineInstance, error) {
	return read(ctx, s.reader, s.key(), &kubevirtv1.VirtualMachineInstance{})
}

// class is the VM's class, or nil.
func (s *state) class(ctx context.Context) (*v1alpha2.VirtualMachineClass, error) {
	return read(ctx, s.reader, client.ObjectKey{Name: s.current.Spec.VirtualMachineClassName}, &v1alpha2.VirtualMachineClass{})
}

// pods are all launcher pods of the VM, the oldest first.
func (s *state) pods(ctx context.Context) ([]corev1.Pod, error) {
	var list corev1.PodList
	err := s.reader.List(ctx, &list, client.InNamespace(s.current.Namespace), client.MatchingLabels{labelVMName: s.current.Name})
	// The cache has no order.
	slices.SortFunc(list.Items, func(a, b corev1.Pod) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return list.Items, err
}

// pod is the pod that the instance counts as its own: one of its activePods, on the
// node that it is on. It is nil while the two caches do not agree on one.
func (s *state) pod(ctx context.Context) (*corev1.Pod, error) {
	kvvmi, err := s.kvvmi(ctx)
	if err != nil || kvvmi == nil {
		return nil, err
	}
	all, err := s.pods(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(pod corev1.Pod) bool {
		_, active := kvvmi.Status.ActivePods[pod.UID]
		return !active || pod.Spec.NodeName != kvvmi.Status.NodeName
	})
	for i := range all {
		if all[i].Status.Phase == corev1.PodRunning {
			return &all[i], nil
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return &all[0], nil
}

// read takes an absent object for an answer.
func read[T client.Object](ctx context.Context, r client.Reader, key client.ObjectKey, obj T) (T, error) {
	err := r.Get(ctx, key, obj)
	if err == nil {
		return obj, nil
	}
	var none T
	if apierrors.IsNotFound(err) {
		return none, nil
	}
	return none, err
}

// podIsFinal says whether the pod has ended.
func podIsFinal(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// owned says whether the instance controls the pod.
func owned(pod *corev1.Pod, kvvmi *kubevirtv1.VirtualMachineInstance) bool {
	owner := metav1.GetControllerOf(pod)
	if owner != nil {
		return owner.UID == kvvmi.UID
	}
	return pod.Labels[kubevirtv1.CreatedByLabel] == string(kvvmi.UID)
}
