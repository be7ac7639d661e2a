package kvvm

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// powerState starts, stops and restarts the VM as its run policy says
// (kubevirt-behaviour B.5).
type powerState struct {
	client  client.Client
	variant Variant
	log     logr.Logger
}

func (*powerState) name() string { return "SyncPowerState" }

// A power is what one pass does about the VM.
type power int

const (
	leave power = iota
	start
	stop
	restart
	replace  // an instance that came to nothing
	askLater // to start, by the annotation
)

func (p power) String() string {
	return [...]string{"leave", "start", "stop", "restart", "replace", "ask for a start"}[p]
}

// situation is what the decision is made of.
type situation struct {
	*state
	kvvm  *kubevirtv1.VirtualMachine
	kvvmi *kubevirtv1.VirtualMachineInstance
	// unapplied says that the VM may not start: its configuration could not be
	// applied.
	unapplied bool
}

func (h *powerState) handle(ctx context.Context, s *state) (reconcile.Result, error) {
	if s.deleting() {
		return reconcile.Result{}, nil
	}
	kvvm, err := s.kvvm(ctx)
	if err != nil || kvvm == nil {
		return reconcile.Result{}, err
	}
	kvvmi, err := s.kvvmi(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := h.ensureManual(ctx, s, kvvm, kvvmi); err != nil {
		return reconcile.Result{}, err
	}
	x := situation{state: s, kvvm: kvvm, kvvmi: kvvmi}
	condition := meta.FindStatusCondition(s.changed.Status.Conditions, conditionApplied)
	x.unapplied = condition != nil && condition.Status == "False" && condition.ObservedGeneration == s.current.Generation
	decision, err := h.decide(ctx, x)
	if err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, h.do(ctx, x, decision)
}

// ensureManual takes the decisions away from KubeVirt. A VM that is to run from its
// creation on keeps strategy Always until its instance is seen.
func (h *powerState) ensureManual(ctx context.Context, s *state, kvvm *kubevirtv1.VirtualMachine, kvvmi *kubevirtv1.VirtualMachineInstance) error {
	if s.current.Spec.RunPolicy == v1alpha2.AlwaysOnUnlessStoppedManually && kvvmi == nil {
		return nil
	}
	if runStrategy(kvvm) == kubevirtv1.RunStrategyManual {
		return nil
	}
	return patchKVVM(ctx, h.client, kvvm, map[string]any{"spec": map[string]any{"runStrategy": kubevirtv1.RunStrategyManual}})
}

func (h *powerState) decide(ctx context.Context, x situation) (power, error) {
	policy := x.current.Spec.RunPolicy
	if policy == v1alpha2.AlwaysOffPolicy {
		if x.kvvmi != nil || h.variant.level() && startAsked(x.kvvm) {
			return stop, nil
		}
		return leave, nil
	}
	switch {
	case x.kvvmi == nil || x.kvvmi.DeletionTimestamp != nil:
		return x.absent(policy), nil
	case x.kvvm.Annotations[AnnRestartRequested] == requested && x.kvvmi.Status.Phase == kubevirtv1.Running:
		return restart, nil
	case !x.kvvmi.IsFinal():
		return leave, nil
	case x.shutdown.completed && x.shutdown.reset:
		return restart, nil
	}
	if h.variant.level() {
		lost, err := x.neverPlaced(ctx)
		if err != nil || lost {
			return replace, err
		}
	}
	return x.ended(ctx, policy)
}

// absent is the decision about a VM whose instance is not there or is going.
func (x situation) absent(policy v1alpha2.RunPolicy) power {
	if x.kvvmi == nil && policy == v1alpha2.AlwaysOnPolicy {
		switch {
		case x.restarting():
			return leave
		case x.unapplied:
			return askLater
		}
		return start
	}
	asked := x.kvvm.Annotations[AnnStartRequested] == requested || x.kvvm.Annotations[AnnRestartRequested] == requested
	if asked && !x.unapplied {
		return start
	}
	was := lastApplied[v1alpha2.VirtualMachineSpec](x.kvvm, AnnLastAppliedSpec).RunPolicy
	if policy == v1alpha2.AlwaysOnUnlessStoppedManually && was == v1alpha2.AlwaysOffPolicy {
		return askLater
	}
	return leave
}

// ended is the decision about a VM whose instance failed or succeeded.
func (x situation) ended(ctx context.Context, policy v1alpha2.RunPolicy) (power, error) {
	switch policy {
	case v1alpha2.AlwaysOnPolicy:
		return restart, nil
	case v1alpha2.ManualPolicy:
		if x.shutdown.completed {
			return stop, nil
		}
		return leave, nil
	case v1alpha2.AlwaysOnUnlessStoppedManually:
		return x.endedUnlessStopped(ctx)
	}
	return leave, nil
}

// endedUnlessStopped takes an instance that succeeded for stopped by the guest,
// unless somebody deleted its pod.
func (x situation) endedUnlessStopped(ctx context.Context) (power, error) {
	if x.kvvmi.Status.Phase == kubevirtv1.Failed {
		return restart, nil
	}
	pod, err := x.pod(ctx)
	switch {
	case err != nil:
		return leave, err
	case x.shutdown.completed && (pod == nil || pod.DeletionTimestamp != nil):
		return restart, nil
	case x.shutdown.completed:
		return stop, nil
	case pod == nil:
		return leave, errors.New("the instance succeeded, and its pod is not in the cache")
	}
	return leave, nil
}

// restarting says whether KubeVirt has still to stop the VM and to start it.
func (x situation) restarting() bool {
	r := x.kvvm.Status.StateChangeRequests
	return len(r) == 2 && r[0].Action == kubevirtv1.StopRequest && r[1].Action == kubevirtv1.StartRequest
}

func (h *powerState) do(ctx context.Context, x situation, decision power) error {
	if decision == leave {
		return nil
	}
	h.log.Info("power state: "+decision.String(), "key", x.key().String(), "policy", x.current.Spec.RunPolicy, "instance", phaseOfInstance(x.kvvmi))
	var err error
	switch {
	case decision == stop:
		return h.stop(ctx, x)
	case decision == askLater:
		return h.annotateStart(ctx, x)
	case x.unapplied:
		return h.interrupt(ctx, x, decision)
	case decision == start:
		err = requestStart(ctx, h.client, x.kvvm)
	case decision == replace:
		err = requestReplacement(ctx, h.client, x.kvvm, x.kvvmi)
	case decision == restart:
		err = requestRestart(ctx, h.client, x.kvvm, x.kvvmi)
	}
	if err != nil {
		return err
	}
	return h.clearRequests(ctx, x)
}

// stop deletes the instance. Variant level also withdraws a start that it asked for
// before the VM was switched off: KubeVirt would make an instance for it, drop the
// request only if it sees that instance before its deletion, and otherwise make
// the next.
func (h *powerState) stop(ctx context.Context, x situation) error {
	if h.variant.level() && x.current.Spec.RunPolicy == v1alpha2.AlwaysOffPolicy && startAsked(x.kvvm) {
		if err := withdrawRequests(ctx, h.client, x.kvvm); err != nil {
			return err
		}
	}
	if x.kvvmi == nil {
		return nil
	}
	return deleteObject(ctx, h.client, x.kvvmi)
}

func phaseOfInstance(kvvmi *kubevirtv1.VirtualMachineInstance) string {
	switch {
	case kvvmi == nil:
		return "absent"
	case kvvmi.DeletionTimestamp != nil:
		return fmt.Sprintf("%s, being deleted", kvvmi.Status.Phase)
	}
	return string(kvvmi.Status.Phase)
}
