package instance

import (
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// writeStatus derives the instance's status from its pod and writes it: as a
// whole while the controller owns the instance, field by field while virt-handler
// does (kubevirt-behaviour 0.4).
func (p *pass) writeStatus(failure *syncError) standin.Plan {
	content := standin.Edit(p.vmi.Content())
	p.setActivePods(content)
	p.syncReady(content)
	handled := p.vmi.Phase == facts.PhaseScheduled || p.vmi.Phase == facts.PhaseRunning
	switch {
	case p.vmi.Unprocessed():
		p.unprocessed(content)
	case p.vmi.Phase == facts.PhaseScheduling:
		p.scheduling(content)
	case p.vmi.Final():
		p.final(content)
	case p.vmi.Phase == facts.PhaseWaitingForSync:
		p.waitingForSync(content)
	case handled:
		p.handled(content)
	}
	plan := standin.Plan{}
	if failure != nil {
		plan.Err = failure
	}
	if handled {
		if ops := p.changes(content); len(ops) > 0 {
			plan.Writes = []standin.Write{p.PatchJSON(p.vmi.Ref, ops, "")}
		}
		return plan
	}
	p.syncSynchronized(content, failure)
	if !standin.Equal(content, p.vmi.Content()) {
		plan.Writes = []standin.Write{p.update(content)}
	}
	return plan
}

func (p *pass) enter(content map[string]any, phase string) {
	facts.EnterPhase(content, phase, p.now())
}

// unprocessed: C.1, rows of the phases "" and Pending.
func (p *pass) unprocessed(content map[string]any) {
	switch {
	case p.pod != nil:
		p.enter(content, facts.PhaseScheduling)
	case p.vmi.Deleting:
		p.enter(content, facts.PhaseFailed)
	case p.vmi.Annotation(facts.AnnotationReceiver) == "true":
		p.enter(content, facts.PhaseWaitingForSync)
	default:
		p.enter(content, facts.PhasePending)
	}
}

// scheduling: C.1, rows of the phase Scheduling.
func (p *pass) scheduling(content map[string]any) {
	if p.pod == nil {
		p.enter(content, facts.PhaseFailed)
		return
	}
	p.syncPodScheduled(content)
	switch {
	case p.pod.Ready && !p.vmi.Deleting:
		p.enter(content, facts.PhaseScheduled)
		standin.Set(content, p.pod.NodeName, "status", "nodeName")
		standin.Set(content, "Unix", "status", "migrationTransport")
		standin.Set(content, p.pod.NodeName, "metadata", "labels", facts.LabelNodeName)
	case p.pod.Down() || p.pod.Deleting:
		p.enter(content, facts.PhaseFailed)
	}
}

// final: the instance may go when no pod of it is left in the cache. Nobody is
// left to drop the machine's finalizer where the machine itself is gone.
func (p *pass) final(content map[string]any) {
	if len(p.PodsOf(p.vmi)) == 0 {
		dropFinalizer(content, facts.FinalizerVMI)
	}
	if p.OwnerVM(p.vmi) == nil {
		dropFinalizer(content, facts.FinalizerVM)
	}
}

// waitingForSync: an instance that waits for a machine from elsewhere never ends;
// in a deletion it just goes.
func (p *pass) waitingForSync(content map[string]any) {
	switch {
	case p.vmi.Deleting:
		dropFinalizer(content, facts.FinalizerVMI)
		if p.OwnerVM(p.vmi) == nil {
			dropFinalizer(content, facts.FinalizerVM)
		}
	case p.pod != nil:
		p.enter(content, facts.PhaseScheduling)
	}
}

func dropFinalizer(content map[string]any, name string) {
	list, _ := standin.Field(content, "metadata", "finalizers").([]any)
	kept := []any{}
	for _, f := range list {
		if f != name {
			kept = append(kept, f)
		}
	}
	switch {
	case len(kept) == len(list):
	case len(kept) == 0:
		standin.Remove(content, "metadata", "finalizers")
	default:
		standin.Set(content, kept, "metadata", "finalizers")
	}
}

// handled: C.1, the controller's rows of Scheduled and Running. A pod that ended
// but is still there is virt-handler's business.
func (p *pass) handled(content map[string]any) {
	if p.pod == nil {
		standin.Set(content, facts.PhaseFailed, "status", "phase")
		return
	}
	if p.o.Fork && p.vmi.Phase == facts.PhaseRunning {
		p.syncPlacement(content)
	}
}

// changes are the patch from what was read to content, with a test of what it
// replaces.
func (p *pass) changes(content map[string]any) []standin.Op {
	var ops []standin.Op
	for _, field := range []string{"conditions", "activePods", "phase"} {
		was, is := standin.Field(p.vmi.Content(), "status", field), standin.Field(content, "status", field)
		if !standin.Equal(was, is) {
			ops = append(ops, standin.Replace("/status/"+field, was, is)...)
		}
	}
	return ops
}

// setActivePods lists all pods that the instance owns, ended ones too (C.2).
func (p *pass) setActivePods(content map[string]any) {
	active := map[string]any{}
	for _, pod := range p.PodsOf(p.vmi) {
		active[pod.UID] = pod.NodeName
	}
	was := standin.Field(content, "status", "activePods")
	if len(active) == 0 && was == nil || standin.Equal(active, was) {
		return
	}
	standin.Set(content, active, "status", "activePods")
}
