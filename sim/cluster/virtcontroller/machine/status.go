package machine

import (
	"strconv"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// updateStatus ends every pass but those that fail early: it derives the status
// from the same instance that the pass began with, and lets an instance go that
// has ended (kubevirt-behaviour A.2, A.8).
func (p *pass) updateStatus(failure *syncError) standin.Plan {
	p.setPresence()
	if next := p.next(); next != nil && trims(*next, p.vmi) {
		p.trim()
	}
	p.syncStartFailure()
	p.syncConditions(failure)
	p.set(p.printableStatus(), "printableStatus")
	plan := standin.Plan{}
	if failure != nil {
		plan.Err = failure
	}
	if !standin.Equal(orEmpty(p.content), orEmpty(p.vm.Content())) {
		plan.Writes = append(plan.Writes, p.Update(p.vm.Ref, p.content, standin.Status))
	}
	if p.vmi != nil && released(p.vmi) && p.vmi.HasFinalizer(facts.FinalizerVM) {
		ops := standin.Replace("/metadata/finalizers", p.vmi.Finalizers(), p.vmi.WithoutFinalizer(facts.FinalizerVM))
		plan.Writes = append(plan.Writes, p.PatchJSON(p.vmi.Ref, ops, ""))
	}
	return plan
}

// released tells whether the machine has nothing more to learn from an instance.
func released(vmi *facts.VMI) bool {
	return vmi.Final() || vmi.Deleting && vmi.Phase == facts.PhaseWaitingForSync
}

// orEmpty is the status of a machine; an empty one if there is none.
func orEmpty(vm map[string]any) map[string]any {
	if status := standin.Map(vm, "status"); status != nil {
		return status
	}
	return map[string]any{}
}

// set sets a field of the status; the zero value is no field.
func (p *pass) set(value any, field string) {
	switch value {
	case false, "", int64(0):
		standin.Remove(p.content, "status", field)
	default:
		standin.Set(p.content, value, "status", field)
	}
}

// setPresence: kubevirt-behaviour A.8. The strategy is noted from the first
// instance on, so that it tells whether the machine was ever started.
func (p *pass) setPresence() {
	p.set(p.vmi != nil, "created")
	p.set(p.vmi != nil && p.vmi.Has(conditionReady, "True"), "ready")
	if p.vmi != nil {
		if observed, err := strconv.ParseInt(p.vmi.Annotation(facts.AnnotationGeneration), 10, 64); err == nil {
			p.set(observed, "observedGeneration")
			p.set(generationOf(p.content), "desiredGeneration")
		}
	}
	if p.vmi != nil || standin.String(p.content, "status", "runStrategy") != "" {
		strategy, _ := facts.RunStrategy(p.vm.Content()) // two strategies do not get here
		p.set(strategy, "runStrategy")
	}
}

// trims tells whether the first request is done with, as far as the cache shows
// (kubevirt-behaviour A.4). An instance that is deleted already, but not in the
// cache, makes it drop a request to start that was never acted on.
func trims(next facts.StateChange, vmi *facts.VMI) bool {
	if next.Action == facts.ActionStop {
		return vmi == nil || next.UID != vmi.UID
	}
	return next.Action == facts.ActionStart && vmi != nil && !vmi.Deleting && !vmi.Final()
}

// trim drops the first request, and no other: those after it were not looked at.
func (p *pass) trim() {
	list, _ := standin.Field(p.content, "status", "stateChangeRequests").([]any)
	if len(list) == 1 {
		standin.Remove(p.content, "status", "stateChangeRequests")
		return
	}
	standin.Set(p.content, list[1:], "status", "stateChangeRequests")
}
