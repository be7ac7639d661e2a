package kvvm

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// lifeCycle sets the phase, the node and the condition Running. It comes after all
// handlers that read the phase, so these see that of an earlier pass.
type lifeCycle struct{}

func (lifeCycle) name() string { return "LifeCycle" }

func (lifeCycle) handle(ctx context.Context, s *state) (reconcile.Result, error) {
	status := &s.changed.Status
	status.ObservedGeneration = s.current.Generation
	if s.deleting() {
		status.Phase = v1alpha2.MachineTerminating
		return reconcile.Result{}, nil
	}
	if status.Phase == "" {
		// The write of this phase wakes the VM again.
		status.Phase = v1alpha2.MachinePending
		s.setCondition(conditionRunning, metav1.ConditionUnknown, "Unknown", "")
		return reconcile.Result{}, nil
	}
	kvvm, err := s.kvvm(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	kvvmi, err := s.kvvmi(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	status.Phase = phaseOf(s.changed, kvvm, s.dependenciesReady())
	if kvvm != nil {
		if c := kvvmCondition(kvvm, conditionPodIsScheduled); c.Status == corev1.ConditionFalse {
			// KubeVirt does not take this condition back when the instance goes, so
			// a VM that is stopped can look Pending (kubevirt-behaviour A.7).
			status.Phase = v1alpha2.MachinePending
			s.setCondition(conditionRunning, metav1.ConditionFalse, "PodNotStarted", fmt.Sprintf("%s: %s", c.Reason, c.Message))
			return reconcile.Result{}, nil
		}
	}
	status.Node = ""
	if kvvmi != nil && status.Phase != v1alpha2.MachineStopped {
		status.Node = kvvmi.Status.NodeName
	}
	s.running(kvvmi)
	return reconcile.Result{}, nil
}

// running says whether the VM runs, and if not, what its instance is.
func (s *state) running(kvvmi *kubevirtv1.VirtualMachineInstance) {
	switch {
	case s.changed.Status.Phase == v1alpha2.MachineRunning:
		s.setCondition(conditionRunning, metav1.ConditionTrue, "VirtualMachineRunning", "")
	case kvvmi != nil:
		s.setCondition(conditionRunning, metav1.ConditionFalse, "VirtualMachineNotRunning", fmt.Sprintf("The instance is in phase %q.", kvvmi.Status.Phase))
	default:
		s.setCondition(conditionRunning, metav1.ConditionFalse, "VirtualMachineNotRunning", "")
	}
}
