package virtcontroller

import (
	"errors"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

var errOtherMigration = errors.New("the instance is not eligible: another migration of it is under way")

// sync does what the present phase asks for (D.5). An error brings the key back
// with back-off; the status is updated all the same.
func (p *pass) sync() error {
	s := p.vmi.StateOf(p.m.UID)
	if p.vmi.Deleting || s != nil && s.Ended {
		return nil
	}
	if !p.canMigrate() {
		return errOtherMigration
	}
	cancelled := p.m.Deleting && !p.isHandedOff()
	switch p.m.Phase {
	case facts.PhasePending:
		p.syncPending(cancelled)
	case facts.PhaseScheduling:
		p.syncScheduling(cancelled)
	case facts.PhaseScheduled:
		p.syncScheduled(cancelled)
	case facts.PhasePreparingTarget, facts.PhaseTargetReady, facts.PhaseFailed:
		p.failLostTarget(s)
	case facts.PhaseRunning:
		p.signalAbort(s)
	}
	return nil
}

// do adds a side effect. If it fails, the status is updated all the same, from
// what was read at the start.
func (p *pass) do(w standin.Write) {
	w.Continue = true
	p.writes = append(p.writes, w)
}

func (p *pass) syncPending(cancelled bool) {
	switch {
	case cancelled:
		p.cancelTarget()
	case p.target == nil:
		p.syncTargetPod()
	case !p.target.Ready:
		p.checkPendingPod()
	}
}

func (p *pass) syncScheduling(cancelled bool) {
	switch {
	case cancelled:
		p.cancelTarget()
	case p.target != nil:
		p.checkPendingPod()
	}
}

func (p *pass) syncScheduled(cancelled bool) {
	switch {
	case cancelled:
		p.cancelTarget()
	case p.target == nil:
	case p.target.Ready:
		p.handOff()
	default:
		p.checkPendingPod()
	}
}

// cancelTarget deletes the target pod of a migration that is deleted before its
// hand-off. A pod that is not in the cache yet stays behind (D.5).
func (p *pass) cancelTarget() {
	if p.target != nil && !p.target.Deleting {
		p.do(p.Delete(p.target.Ref, "", nil))
	}
}

// failLostTarget fails a migration on the instance whose target pod is gone
// before the domain started to move (D.5; newer versions also when the target had
// opened its ports already).
func (p *pass) failLostTarget(s *facts.MigrationState) {
	if s == nil || s.Started || s.Failed || s.Completed {
		return
	}
	if p.target != nil && !p.target.Down() && p.m.Phase != facts.PhaseFailed {
		return
	}
	p.patchState(func(state map[string]any) {
		state["failed"], state["completed"] = true, true
		state["failureReason"] = "the target pod is gone before the migration started"
	}, nil)
}

// signalAbort asks the source to cancel a migration that is deleted while it
// runs.
func (p *pass) signalAbort(s *facts.MigrationState) {
	if p.m.Deleting && s != nil && !s.AbortRequested {
		p.patchState(func(state map[string]any) { state["abortRequested"] = true }, nil)
	}
}
