package kvvm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// deletionRetry is when a VM that is being deleted is looked at again, unless its
// grace period is shorter.
const deletionRetry = 30 * time.Second

// deletion keeps a VM until its KVVM is gone, and deletes that with it.
type deletion struct{ client client.Client }

func (*deletion) name() string { return "Deletion" }

func (h *deletion) handle(ctx context.Context, s *state) (reconcile.Result, error) {
	if !s.deleting() {
		controllerutil.AddFinalizer(s.changed, FinalizerVMCleanup)
		return reconcile.Result{}, nil
	}
	kvvm, err := s.kvvm(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	if kvvm == nil {
		controllerutil.RemoveFinalizer(s.changed, FinalizerVMCleanup)
		return reconcile.Result{}, nil
	}
	if err := unprotect(ctx, h.client, kvvm, FinalizerKVVMProtection); err != nil {
		return reconcile.Result{}, err
	}
	if err := deleteObject(ctx, h.client, kvvm); err != nil {
		return reconcile.Result{}, err
	}
	again := deletionRetry
	if grace := s.current.Spec.TerminationGracePeriodSeconds; grace != nil {
		again = min(again, time.Duration(*grace)*time.Second)
	}
	return reconcile.Result{RequeueAfter: again}, nil
}

// deleteObject deletes by name. Objects that are gone or on their way out are
// deleted well enough (upstream-verdicts 2.2).
func deleteObject(ctx context.Context, c client.Client, obj client.Object) error {
	if obj.GetDeletionTimestamp() != nil {
		return nil
	}
	if err := c.Delete(ctx, obj); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete %s %s: %w", kindOf(c, obj), client.ObjectKeyFromObject(obj), err)
	}
	return nil
}

// protect adds a finalizer, unless the object has it or is being deleted.
func protect(ctx context.Context, c client.Client, obj client.Object, finalizer string) error {
	if obj.GetDeletionTimestamp() != nil || controllerutil.ContainsFinalizer(obj, finalizer) {
		return nil
	}
	return setFinalizers(ctx, c, obj, append(slices.Clone(obj.GetFinalizers()), finalizer))
}

// unprotect removes a finalizer, if the object has it.
func unprotect(ctx context.Context, c client.Client, obj client.Object, finalizer string) error {
	if !controllerutil.ContainsFinalizer(obj, finalizer) {
		return nil
	}
	rest := slices.DeleteFunc(slices.Clone(obj.GetFinalizers()), func(f string) bool { return f == finalizer })
	return setFinalizers(ctx, c, obj, rest)
}
