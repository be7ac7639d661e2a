package engine

import (
	"errors"
	"fmt"
	"time"
)

// A Perturbation changes one decision of a run. Its point is named as traces
// print it, so that it survives small changes of the code:
// "kube-ovn-controller: deliver Pod default/target ADDED #1". Delay goes with
// everything; of the others exactly one may be set.
type Perturbation struct {
	Point string
	// Delay makes the decision wait that much longer. What stands in line behind a
	// delivery waits too.
	Delay time.Duration
	// Status answers a request with a failure of that HTTP status, unexecuted.
	Status int
	// Reset breaks the connection before a request or call is executed, Lost after
	// it was: applied, but the reply is lost.
	Reset, Lost bool
	// Break ends a watch instead of delivering the event.
	Break Break
	// Crash kills the process whose decision it is, before or after it is carried
	// out; it starts again Restart later.
	Crash   Crash
	Restart time.Duration
	// Repeat carries out a step of the timeline a second time, that much later.
	Repeat time.Duration
	// Stale answers a list that takes any state (resourceVersion=0) from an API
	// front-end that stopped that long ago; the watch that follows goes on after as
	// long again. With Crash it is all such lists of the process that starts again,
	// until that front-end has caught up.
	Stale time.Duration
	// Clock sets the process' clock: from this decision on it is that much ahead,
	// or behind if it is negative.
	Clock time.Duration
	// Pause cuts the process off for that long, beginning with this decision: its
	// requests and calls wait, and so do the deliveries. Its timers go on, and it can
	// be started again.
	Pause time.Duration
	// Steal hands the lease that the process leads by to the next replica, just
	// before this decision.
	Steal bool
}

// Lasts is how much longer a run can take because of the perturbation.
func (p *Perturbation) Lasts() time.Duration {
	return p.Delay + p.Restart + p.Repeat + p.Stale + p.Pause
}

// A Break says how a watch ends.
type Break string

// How a watch ends: the client watches again from where it was, or is told that
// it is too late for that (410 Gone) and lists.
const (
	BreakAgain Break = "again"
	BreakGone  Break = "gone"
)

// A Crash says when a process dies.
type Crash string

// A process dies before its decision is carried out, or just after.
const (
	CrashBefore Crash = "before"
	CrashAfter  Crash = "after"
)

// things are what a perturbation can do besides a delay, one of them.
const things = "status, reset, lost, break, crash, repeat, stale, clock, pause or steal"

// Validate says what is wrong with a perturbation by itself.
func (p *Perturbation) Validate() error {
	set := 0
	staleList := p.Stale != 0 && p.Crash == ""
	for _, on := range []bool{
		p.Status != 0, p.Reset, p.Lost, p.Break != "", p.Crash != "", p.Repeat != 0, staleList, p.Clock != 0, p.Pause != 0, p.Steal,
	} {
		if on {
			set++
		}
	}
	switch {
	case p.Point == "":
		return errors.New("a perturbation needs the name of a point")
	case set > 1:
		return errors.New("a perturbation does one thing: " + things)
	case set == 0 && p.Delay == 0:
		return errors.New("a perturbation that does nothing: expected delay, " + things)
	case min(p.Delay, p.Restart, p.Repeat, p.Stale, p.Pause) < 0:
		return errors.New("a duration of a perturbation is negative")
	case p.Status != 0 && (p.Status < 400 || p.Status > 599):
		return fmt.Errorf("expected the HTTP status of a failure, 400 to 599, found %d", p.Status)
	case p.Break != "" && p.Break != BreakAgain && p.Break != BreakGone:
		return fmt.Errorf("expected a break %q or %q, found %q", BreakAgain, BreakGone, p.Break)
	case p.Crash != "" && p.Crash != CrashBefore && p.Crash != CrashAfter:
		return fmt.Errorf("expected a crash %q or %q, found %q", CrashBefore, CrashAfter, p.Crash)
	}
	return nil
}

// planned is a perturbation in a run.
type planned struct {
	Perturbation
	applied bool
	begun   bool // a pause or theft, which come before the decision
}

// plan finds what the schedule has for a decision; nil for most.
func (e *Engine) plan(p Point) *planned {
	if len(e.schedule) == 0 {
		return nil
	}
	return e.schedule[p.String()]
}

// Unapplied are the points of the schedule at which nothing was changed: the
// decision never came up, or is not of a kind that can be changed that way.
func (e *Engine) Unapplied() []string {
	var out []string
	for _, d := range e.cfg.Schedule {
		if !e.schedule[d.Point].applied {
			out = append(out, d.Point)
		}
	}
	return out
}

// Healed is the instant at which the last perturbation so far had its effect.
func (e *Engine) Healed() time.Duration { return e.healed }

// apply notes that a perturbation has its effect, until an instant.
func (e *Engine) apply(p *planned, until time.Duration) {
	p.applied = true
	e.healed = max(e.healed, until)
}

// kill ends the process of a decision and lets it start again.
func (e *Engine) kill(p *planned, process string) Outcome {
	if e.cfg.Kill == nil {
		return Outcome{Text: "nothing can be killed in this run"}
	}
	if err := e.cfg.Kill(process, p.Restart); err != nil {
		return Outcome{Text: err.Error()}
	}
	e.fronts.stop(process, p.Stale)
	e.apply(p, e.now+p.Restart)
	return Outcome{Text: "killed"}
}

// perturbed carries out a decision of an in-engine part, changed by the schedule.
func (e *Engine) perturbed(p Point, run func() Outcome) Outcome {
	plan := e.plan(p)
	switch {
	case plan == nil:
		return run()
	case plan.Crash == CrashBefore:
		return e.kill(plan, p.Process)
	case plan.Crash == CrashAfter:
		out := run()
		e.kill(plan, p.Process)
		return out
	case plan.Repeat > 0:
		e.apply(plan, e.now+plan.Repeat)
		e.After(p, plan.Repeat, run)
	}
	return run()
}
