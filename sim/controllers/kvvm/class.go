package kvvm

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// classReady says in the status whether the VM's class exists: without it the VM is
// not synchronized.
type classReady struct{}

func (classReady) name() string { return "Class" }

func (classReady) handle(ctx context.Context, s *state) (reconcile.Result, error) {
	if s.deleting() {
		return reconcile.Result{}, nil
	}
	class, err := s.class(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	if class == nil {
		s.setCondition(conditionClassReady, metav1.ConditionFalse, "ClassNotReady",
			fmt.Sprintf("VirtualMachineClass %q does not exist.", s.current.Spec.VirtualMachineClassName))
		return reconcile.Result{}, nil
	}
	s.setCondition(conditionClassReady, metav1.ConditionTrue, "ClassReady", "")
	return reconcile.Result{}, nil
}

// dependenciesReady says whether all that the VM needs exists.
func (s *state) dependenciesReady() bool {
	return meta.IsStatusConditionTrue(s.changed.Status.Conditions, conditionClassReady)
}

func (s *state) setCondition(name string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&s.changed.Status.Conditions, metav1.Condition{
		Type: name, Status: status, Reason: reason, Message: message, ObservedGeneration: s.current.Generation,
	})
}

func (s *state) removeCondition(name string) {
	meta.RemoveStatusCondition(&s.changed.Status.Conditions, name)
}
