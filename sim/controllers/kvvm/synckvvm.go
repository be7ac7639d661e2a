package kvvm

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// dependencyRetry is when a VM that lacks something is looked at again
// (upstream-verdicts 2.2).
const dependencyRetry = time.Minute

// syncKVVM makes KubeVirt's VM of the VM, and brings it up to date when that can be
// done without harm.
type syncKVVM struct {
	client  client.Client
	variant Variant
	log     logr.Logger
}

func (*syncKVVM) name() string { return "SyncKvvm" }

// pass is what one call of the handler has read.
type pass struct {
	*state
	class   *v1alpha2.VirtualMachineClass
	kvvm    *kubevirtv1.VirtualMachine
	kvvmi   *kubevirtv1.VirtualMachineInstance
	pod     *corev1.Pod
	changes changes
	again   time.Duration // when to look again; 0 is when something happens
}

func (h *syncKVVM) handle(ctx context.Context, s *state) (reconcile.Result, error) {
	if s.deleting() {
		return reconcile.Result{}, nil
	}
	p := pass{state: s}
	var err error
	if p.kvvm, err = s.kvvm(ctx); err != nil {
		return reconcile.Result{}, err
	}
	if p.class, err = s.class(ctx); err != nil {
		return reconcile.Result{}, err
	}
	if p.kvvm != nil {
		p.changes = changesOf(s.current, p.class, p.kvvm, h.variant.gate())
	}
	s.changed.Status.RestartAwaitingChanges = awaitingRestart(p.changes.vm)
	if !s.dependenciesReady() || p.class == nil {
		h.log.Info("not synchronized: the class does not exist", "key", s.key().String(), "class", s.current.Spec.VirtualMachineClassName)
		s.configured(notApplied, "Waiting for the VirtualMachineClass.")
		return reconcile.Result{RequeueAfter: dependencyRetry}, nil
	}
	synced, err := h.sync(ctx, &p)
	switch {
	case err != nil:
		s.configured(notApplied, err.Error())
	case synced:
		s.changed.Status.RestartAwaitingChanges = nil
		s.configured(applied, "")
	default:
		s.configured(awaitsRestart, "Waiting for a restart to apply the changes.")
	}
	return reconcile.Result{RequeueAfter: p.again}, err
}

// sync is the switch of upstream-verdicts 2.2. It says whether nothing is left to
// be applied by a restart.
func (h *syncKVVM) sync(ctx context.Context, p *pass) (synced bool, err error) {
	if p.kvvm == nil {
		return true, h.create(ctx, p)
	}
	if p.kvvmi, err = p.state.kvvmi(ctx); err != nil {
		return false, err
	}
	if p.pod, err = p.state.pod(ctx); err != nil {
		return false, err
	}
	if h.variant.level() {
		if found, err := h.replaceStalePods(ctx, p); found {
			return err == nil, err
		}
		if p.starting() {
			h.say(p, "changes wait until the instance is there")
			p.again = dependencyRetry
			return false, nil
		}
	}
	unschedulable := p.current.Status.Phase == v1alpha2.MachinePending && p.kvvm.Status.PrintableStatus == kubevirtv1.VirtualMachineStatusUnschedulable
	switch {
	case unschedulable && h.placementChanged(p):
		h.say(p, "unschedulable and its placement changed: the KVVM is updated and recreated")
		return h.recreate(ctx, p)
	case stopped(p.kvvm, p.pod):
		return true, h.update(ctx, p)
	case p.changes.empty():
		return true, nil
	case p.changes.action() < applyByRestart || p.kvvmi == nil || phaseOf(nil, p.kvvm, true) == v1alpha2.MachinePending:
		h.say(p, fmt.Sprintf("changes are applied to the KVVM, which is %s: %s", p.kvvm.Status.PrintableStatus, p.whyApplied()))
		return true, h.apply(ctx, p)
	default:
		h.say(p, "changes wait for a restart")
		return false, nil
	}
}

// whyApplied is the first of the reasons to apply changes.
func (p *pass) whyApplied() string {
	switch {
	case p.changes.action() < applyByRestart:
		return "none of them takes a restart"
	case p.kvvmi == nil:
		return "there is no instance"
	}
	return "no instance of it runs yet"
}

// placementChanged is where the variants differ (upstream-verdicts 2.1 and 2.2).
func (h *syncKVVM) placementChanged(p *pass) bool {
	switch h.variant.base() {
	case NodeSelector:
		var current map[string]string
		if t := p.kvvm.Spec.Template; t != nil {
			current = t.Spec.NodeSelector
		}
		wanted := wantedPlacement(&p.current.Spec, &p.class.Spec).nodeSelector
		return !equality.Semantic.DeepEqual(current, wanted)
	case VMPlacement:
		return p.changes.touch(pathAffinity, pathNodeSelector, pathTolerations)
	case Placement, DeleteKVVMI:
		return p.changes.touch(pathAffinity, pathNodeSelector, pathTolerations, pathClassName, pathClassNodeSelector, pathClassTolerations)
	}
	return false
}

// recreate updates the KVVM, and only then deletes what was made from it as it was
// before. If there is nothing to be deleted in the caches, nothing is.
func (h *syncKVVM) recreate(ctx context.Context, p *pass) (bool, error) {
	if err := h.update(ctx, p); err != nil {
		return false, err
	}
	var err error
	switch {
	case h.variant.base() == DeleteKVVMI && p.kvvmi != nil:
		err = deleteObject(ctx, h.client, p.kvvmi)
	case h.variant.base() != DeleteKVVMI && p.pod != nil:
		err = deleteObject(ctx, h.client, p.pod)
	default:
		h.say(p, "nothing to delete: the caches do not agree on a pod")
	}
	return err == nil, err
}

// stopped says whether KubeVirt's VM is stopped and nothing of it runs.
func stopped(kvvm *kubevirtv1.VirtualMachine, pod *corev1.Pod) bool {
	return phaseOf(nil, kvvm, true) == v1alpha2.MachineStopped && (!kvvm.Status.Created || pod == nil || podIsFinal(pod))
}

// apply applies changes by the action that they take.
func (h *syncKVVM) apply(ctx context.Context, p *pass) error {
	if p.changes.action() != applyNone {
		return h.update(ctx, p)
	}
	kvvm := p.kvvm.DeepCopy()
	if err := annotateJSON(kvvm, AnnLastAppliedSpec, p.current.Spec); err != nil {
		return err
	}
	if err := annotateJSON(kvvm, AnnLastAppliedClassSpec, p.class.Spec); err != nil {
		return err
	}
	return h.client.Update(ctx, kvvm)
}

func (h *syncKVVM) create(ctx context.Context, p *pass) error {
	kvvm, err := buildKVVM(p.current, p.class, nil)
	if err != nil {
		return err
	}
	if err := h.client.Create(ctx, kvvm); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create the KVVM: %w", err)
	}
	return nil
}

// update brings the KVVM and its annotations up to date.
func (h *syncKVVM) update(ctx context.Context, p *pass) error {
	kvvm, err := buildKVVM(p.current, p.class, p.kvvm)
	if err != nil {
		return err
	}
	return h.write(ctx, p.kvvm, kvvm)
}

func (h *syncKVVM) write(ctx context.Context, old, kvvm *kubevirtv1.VirtualMachine) error {
	same := equality.Semantic.DeepEqual(old.Annotations, kvvm.Annotations) && equality.Semantic.DeepEqual(old.Spec, kvvm.Spec)
	if same && !h.variant.alwaysWrites() {
		return nil
	}
	if err := h.client.Update(ctx, kvvm); err != nil {
		return fmt.Errorf("update the KVVM: %w", err)
	}
	return nil
}

func (h *syncKVVM) say(p *pass, what string) {
	h.log.Info(what, "key", p.key().String(), "phase", p.current.Status.Phase, "kvvm", p.kvvm.Status.PrintableStatus, "changes", p.changes.String())
}

// What there is to say of a VM's configuration.
type configuration int

const (
	applied configuration = iota
	notApplied
	awaitsRestart
)

// configured puts it into the conditions, where VMs that run, or are about to stop,
// say so: of others all is applied when they start.
func (s *state) configured(c configuration, message string) {
	switch s.changed.Status.Phase {
	case "", v1alpha2.MachinePending, v1alpha2.MachineStarting, v1alpha2.MachineStopped:
		c = applied
	}
	s.removeCondition(conditionAwaitsRestart)
	if c == applied {
		s.removeCondition(conditionApplied)
		return
	}
	s.setCondition(conditionApplied, metav1.ConditionFalse, "ConfigurationNotApplied", message)
	if c == awaitsRestart {
		s.setCondition(conditionAwaitsRestart, metav1.ConditionTrue, "ChangesPendingRestart", message)
	}
}
