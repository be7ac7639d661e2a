package machine

import (
	"fmt"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// A pass is one reconcile of one virtual machine. Its steps call each other in
// the order of kubevirt-behaviour A.2.
type pass struct {
	*Controller
	key string
	vm  *facts.VM  // as read at the start
	vmi *facts.VMI // as read at the start; nil if there is none
	// content is the machine as it is in the controller's hands: changed by it, or
	// as the server last returned it.
	content map[string]any
	// began is the machine's spec at the instance's start, as the cache had it at
	// the start of the pass; nil if it had none, or there is no instance.
	began map[string]any
}

// A syncError is a failure that the machine's condition Failure shows. The status
// is written all the same, and then the key comes back with back-off.
type syncError struct {
	reason string
	error
}

// Reasons of the condition Failure (kubevirt-behaviour A.7).
const (
	failedCreate      = "FailedCreate"
	failedDelete      = "FailedDelete"
	failedUpdate      = "FailedUpdateError"
	affinityError     = "AffinityChangeError"
	tolerationsError  = "TolerationsChangeError"
	cpuHotplugError   = "HotPlugCPUError"
	memoryHotplugFail = "HotPlugMemoryError"
)

func (c *Controller) reconcile(key string) standin.Plan {
	vm := c.VMs.Get(key)
	if vm == nil {
		delete(c.expected, key)
		return standin.Plan{}
	}
	p := &pass{Controller: c, key: key, vm: vm, content: standin.Edit(vm.Content())}
	if vm.Annotation(facts.AnnotationObservedVersion) != facts.ObservedVersion {
		standin.Set(p.content, facts.ObservedVersion, "metadata", "annotations", facts.AnnotationObservedVersion)
		return standin.Plan{Writes: []standin.Write{p.Update(vm.Ref, p.content, "")}}
	}
	return p.claim()
}

// claim finds the machine's instance. One of the same name that nobody owns is
// adopted; one that another owns is not seen.
func (p *pass) claim() standin.Plan {
	vmi := p.VMIs.Get(p.key)
	switch {
	case vmi == nil || vmi.Owner.UID == p.vm.UID:
		p.vmi = vmi
	case vmi.Owner == (facts.Owner{}) && !vmi.Deleting && !p.vm.Deleting:
		refs := map[string]any{"ownerReferences": []any{facts.ControllerRef("kubevirt.io/v1", &p.vm.Meta)}, "uid": vmi.UID}
		adopt := p.PatchMerge(vmi.Ref, map[string]any{"metadata": refs}, "")
		return standin.Then(adopt, func(_ *apiserver.Object, failed error) standin.Plan {
			if failed != nil {
				return standin.Plan{Err: failed}
			}
			p.vmi = vmi
			return p.sync()
		})
	}
	return p.sync()
}

// satisfied tells whether the cache shows all that the controller did. Where it
// does not, newer versions look again when they stop waiting.
func (p *pass) satisfied() bool {
	if p.expected.Satisfied(p.key, p.Gate.Elapsed()) {
		return true
	}
	if p.o.Head {
		p.queue.AddAfter(p.key, standin.ExpectationTimeout, "expectations expire after "+standin.ExpectationTimeout.String())
	}
	return false
}

func (p *pass) sync() standin.Plan {
	if !p.satisfied() {
		return p.updateStatus(nil)
	}
	if p.vmi != nil {
		p.began = p.startSpec()
	}
	if p.vm.Deleting {
		return p.delete()
	}
	return p.addFinalizer()
}

// delete lets the machine go once its instance is gone (kubevirt-behaviour 0.5).
func (p *pass) delete() standin.Plan {
	if p.vmi != nil {
		return p.stop(func(failure *syncError) standin.Plan { return p.updateStatus(failure) })
	}
	if !p.vm.HasFinalizer(facts.FinalizerVM) {
		return p.updateStatus(nil)
	}
	return p.patchFinalizers(p.vm.WithoutFinalizer(facts.FinalizerVM), func() standin.Plan { return p.updateStatus(nil) })
}

func (p *pass) addFinalizer() standin.Plan {
	if p.vm.HasFinalizer(facts.FinalizerVM) {
		return p.bumpGeneration()
	}
	// A copy: the list is the cached object's.
	list := append([]any{}, p.vm.Finalizers()...)
	return p.patchFinalizers(append(list, facts.FinalizerVM), p.bumpGeneration)
}

// patchFinalizers writes the finalizers and goes on with the machine as the server
// returns it. A failure ends the pass before its status is written.
func (p *pass) patchFinalizers(list []any, next func() standin.Plan) standin.Plan {
	var was any
	if old := p.vm.Finalizers(); old != nil {
		was = old
	}
	w := p.PatchJSON(p.vm.Ref, standin.Replace("/metadata/finalizers", was, list), "")
	return standin.Then(w, func(patched *apiserver.Object, failed error) standin.Plan {
		if failed != nil {
			return standin.Plan{Err: failed}
		}
		p.content = standin.Edit(patched.Content())
		return next()
	})
}

// runStrategy comes after the finalizer and the generation; a machine with two
// strategies gets no further, not even to its status.
func (p *pass) runStrategy() standin.Plan {
	strategy, err := facts.RunStrategy(p.content)
	if err != nil {
		return standin.Plan{Err: fmt.Errorf("fetching the run strategy: %w", err)}
	}
	return p.syncRunStrategy(strategy)
}

// afterRunStrategy is the second half of the sync. What was just created or
// deleted must be seen first.
func (p *pass) afterRunStrategy() standin.Plan {
	required := p.compareWithStart()
	if !p.satisfied() {
		return p.updateStatus(nil)
	}
	if p.o.Stage || required || standin.Condition(p.content, conditionRestartRequired) != nil {
		return p.restartUnscheduled()
	}
	return p.liveUpdate(liveUpdates)
}
