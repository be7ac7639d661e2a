package kvvm

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// shutdown is how a VM ended, as far as its last pod tells.
type shutdown struct {
	// completed says that the instance and its last pod have both ended.
	completed bool
	// reset says that the guest asked for a restart.
	reset bool
}

// pods keeps launcher pods, by a finalizer, until they have ended: their status
// then says whether the guest shut down or asked for a restart.
type pods struct{ client client.Client }

func (*pods) name() string { return "Pod" }

func (h *pods) handle(ctx context.Context, s *state) (reconcile.Result, error) {
	all, err := s.pods(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	kvvmi, err := s.kvvmi(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	s.shutdown = shutdownOf(kvvmi, all)
	for i := range all {
		guard := protect
		if s.deleting() || podIsFinal(&all[i]) {
			guard = unprotect
		}
		if err := guard(ctx, h.client, &all[i], FinalizerPodProtection); err != nil {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Result{}, nil
}

// shutdownOf looks at the newest of the pods, which are sorted by age.
func shutdownOf(kvvmi *kubevirtv1.VirtualMachineInstance, all []corev1.Pod) shutdown {
	if kvvmi == nil || !kvvmi.IsFinal() || len(all) == 0 {
		return shutdown{}
	}
	last := &all[len(all)-1]
	return shutdown{completed: podIsFinal(last), reset: askedForReset(last)}
}

// Names of the container that the guest runs in: KubeVirt's, and that of the fork
// (kubevirt-behaviour B.6).
var guestContainers = []string{"compute", "d8v-compute"}

const guestReset = "guest-reset"

func askedForReset(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
		ended := c.State.Terminated
		return slices.Contains(guestContainers, c.Name) && ended != nil && ended.Message == guestReset
	})
}
