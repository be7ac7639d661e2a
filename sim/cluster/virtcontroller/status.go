package virtcontroller

import (
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// conditionAbort is set on a migration that is deleted before its end.
const conditionAbort = "migrationAbortRequested"

// updateStatus derives the next phase from what was read at the start of the
// pass, first the failures (D.4), then the progress (D.3).
func (p *pass) updateStatus() {
	if p.m.Final() {
		p.finalize()
		return
	}
	content := standin.Edit(p.m.Content())
	next := p.m.Phase
	aborted := p.m.Deleting && standin.Condition(content, conditionAbort) == nil
	switch {
	case p.failed():
		next = facts.PhaseFailed
	case aborted: // the condition alone (D.4 row 9)
	default:
		next = p.progress()
	}
	changed := next != p.m.Phase
	if aborted {
		standin.SetCondition(content, p.Gate.Wall(), conditionAbort, "True", "", "")
		changed = true
	}
	if p.setSourcePod(content, next) {
		changed = true
	}
	if !changed {
		return
	}
	facts.EnterPhase(content, next, p.Gate.Wall())
	p.writes = append(p.writes, p.writeStatus(content))
}

// writeStatus writes a migration's status.
func (p *pass) writeStatus(content map[string]any) standin.Write {
	return p.Update(p.m.Ref, content, standin.Status)
}

// setSourcePod notes the source pod, if the cache has it, in every write that
// leaves the migration Pending: from then on status.migrationState is not nil,
// and until the end it holds nothing else (D.3, facts a and b).
func (p *pass) setSourcePod(content map[string]any, next string) bool {
	source := p.CurrentPod(p.vmi)
	if next != facts.PhasePending || source == nil {
		return false
	}
	if standin.String(content, "status", "migrationState", "sourcePod") == source.Ref.Name {
		return false
	}
	standin.Set(content, source.Ref.Name, "status", "migrationState", "sourcePod")
	return true
}

// failed goes through the rows of D.4 that end a migration, from row 2.
func (p *pass) failed() bool {
	s := p.vmi.State
	switch {
	case p.vmi.Final(): // 2
		return true
	case p.m.Deleting && !p.isHandedOff(): // 3
		return true
	case p.target != nil && p.target.Final(): // 4
		return true
	case p.m.TargetCreated() && p.target == nil: // 5
		return true
	case p.m.HandedOver() && (s == nil || s.UID != p.m.UID): // 6, 7
		return true
	}
	own := p.vmi.StateOf(p.m.UID)
	return own != nil && own.Failed // 8
}

// progress is the happy path (D.3).
func (p *pass) progress() string {
	s := p.vmi.StateOf(p.m.UID)
	switch p.m.Phase {
	case "":
		if !p.canMigrate() {
			return facts.PhaseFailed
		}
		return facts.PhasePending
	case facts.PhasePending:
		return when(p.target != nil, facts.PhaseScheduling, p.m.Phase)
	case facts.PhaseScheduling:
		return when(p.target.Ready, facts.PhaseScheduled, p.m.Phase)
	case facts.PhaseScheduled:
		return when(s != nil && s.TargetNode != "", facts.PhasePreparingTarget, p.m.Phase)
	case facts.PhasePreparingTarget:
		return when(s.TargetAddress != "", facts.PhaseTargetReady, p.m.Phase)
	case facts.PhaseTargetReady:
		return when(s.Started, facts.PhaseRunning, p.m.Phase)
	case facts.PhaseRunning:
		p.markTargetReady(s)
		return when(s.Completed && !p.unsettled(), facts.PhaseSucceeded, p.m.Phase)
	}
	return p.m.Phase
}

func when(condition bool, then, otherwise string) string {
	if condition {
		return then
	}
	return otherwise
}

// markTargetReady annotates the target pod when its domain is there.
func (p *pass) markTargetReady(s *facts.MigrationState) {
	if !s.TargetReady || p.target.Annotation(facts.AnnotationTargetReady) != "" {
		return
	}
	at := standin.String(p.vmi.Content(), "status", "migrationState", "targetNodeDomainReadyTimestamp")
	patch := map[string]any{"metadata": map[string]any{"annotations": map[string]any{facts.AnnotationTargetReady: at}}}
	p.do(p.PatchMerge(p.target.Ref, patch, ""))
}

// unsettled tells whether the instance still changes after its migration; until
// then the migration is not over.
func (p *pass) unsettled() bool {
	for _, kind := range []string{"HotVCPUChange", "HotMemoryChange", "MigrationRequired"} {
		c := standin.Condition(p.vmi.Content(), kind)
		if c != nil && (kind == "HotVCPUChange" || standin.String(c, "status") == "True") {
			return true
		}
	}
	return false
}
