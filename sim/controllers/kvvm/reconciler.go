package kvvm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apitypes "k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// conflictRetry is when a VM is handled again after a write met a newer object
// (kubevirt-behaviour B.8).
const conflictRetry = 100 * time.Microsecond

// A concern is one handler of the chain. It may change what s.changed says of
// status and finalizers, which is written when all handlers have ended.
type concern interface {
	name() string
	handle(ctx context.Context, s *state) (reconcile.Result, error)
}

type reconciler struct {
	client   client.Client
	variant  Variant
	handlers []concern
	log      logr.Logger
}

func newReconciler(c client.Client, v Variant, log logr.Logger) *reconciler {
	return &reconciler{client: c, variant: v, log: log, handlers: []concern{
		&deletion{c}, classReady{}, &pods{c}, &syncKVVM{c, v, log}, &powerState{c, v, log}, lifeCycle{},
	}}
}

// Reconcile runs the handlers in their order. One that fails does not stop the
// later ones. A conflict is no failure: the VM is handled again at once, with what
// the caches have by then. Variant level takes it for one, and so backs off: a
// cache that is behind would have it write thousands of times.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	vm := &v1alpha2.VirtualMachine{}
	if err := r.client.Get(ctx, req.NamespacedName, vm); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	s := &state{reader: r.client, current: vm, changed: vm.DeepCopy()}
	var result reconcile.Result
	var failed error
	note := func(who string, again reconcile.Result, err error) {
		switch {
		case err == nil:
		case apierrors.IsConflict(err) && !r.variant.level():
			r.log.Info("a newer object was met, trying again", "key", req.String(), "handler", who)
			again = reconcile.Result{RequeueAfter: conflictRetry}
		default:
			failed = errors.Join(failed, fmt.Errorf("%s: %w", who, err))
		}
		result = sooner(result, again)
	}
	for _, h := range r.handlers {
		again, err := h.handle(ctx, s)
		note(h.name(), again, err)
	}
	note("status", reconcile.Result{}, r.write(ctx, s))
	if failed != nil {
		return reconcile.Result{}, failed
	}
	return result, nil
}

// sooner gives the result that asks for the earlier attempt.
func sooner(a, b reconcile.Result) reconcile.Result {
	if a.RequeueAfter == 0 || b.RequeueAfter > 0 && b.RequeueAfter < a.RequeueAfter {
		return b
	}
	return a
}

// write writes what the handlers changed: the status, then the finalizers.
func (r *reconciler) write(ctx context.Context, s *state) error {
	finalizers := s.changed.Finalizers
	if !equality.Semantic.DeepEqual(s.current.Status, s.changed.Status) {
		if err := r.client.Status().Update(ctx, s.changed); err != nil {
			return client.IgnoreNotFound(err)
		}
	}
	if slices.Equal(s.current.Finalizers, finalizers) {
		return nil
	}
	return setFinalizers(ctx, r.client, s.current, finalizers)
}

// setFinalizers replaces the finalizers of an object, whatever its version is. An
// object that is gone is as good as one without finalizers.
func setFinalizers(ctx context.Context, c client.Client, obj client.Object, finalizers []string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"finalizers": finalizers}})
	if err != nil {
		return err
	}
	obj = obj.DeepCopyObject().(client.Object) // the answer is written into it
	if err := c.Patch(ctx, obj, client.RawPatch(apitypes.MergePatchType, patch)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("set the finalizers of %s %s: %w", kindOf(c, obj), client.ObjectKeyFromObject(obj), err)
	}
	return nil
}

func kindOf(c client.Client, obj client.Object) string {
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil {
		return fmt.Sprintf("%T", obj)
	}
	return gvk.Kind
}
