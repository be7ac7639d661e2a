package engine

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// offer raises a decision: it counts the name, applies the schedule and puts the
// item on the agenda.
func (e *Engine) offer(p Point, after time.Duration, run func() Outcome) *item {
	it := e.raise(p, run)
	e.add(it, e.now+after+e.extra(it.point))
	return it
}

// raise names a decision without putting it on the agenda yet.
func (e *Engine) raise(p Point, run func() Outcome) *item {
	p.N = 0
	t := e.tallyOf(p)
	t.n++
	p.N = t.n
	return &item{point: p, raised: e.now, run: run, index: -1}
}

// extra is the schedule's delay of a decision.
func (e *Engine) extra(p Point) time.Duration {
	plan := e.plan(p)
	if plan == nil || plan.Delay == 0 {
		return 0
	}
	e.apply(plan, e.now+plan.Delay)
	return plan.Delay
}

// Elapsed implements Clock.
func (e *Engine) Elapsed() time.Duration { return e.now }

// Wall implements Clock.
func (e *Engine) Wall() time.Time { return e.cfg.Start.Add(e.now) }

// Rand implements Gate.
func (e *Engine) Rand() *rand.Rand { return e.rand }

// After implements Gate.
func (e *Engine) After(p Point, delay time.Duration, run func() Outcome) (cancel func()) {
	var it *item
	it = e.offer(p, delay, func() Outcome { return e.perturbed(it.point, run) })
	return func() { e.drop(it) }
}

// Submit implements Gate.
func (e *Engine) Submit(p Point, run func() Outcome) (cancel func()) {
	return e.After(p, e.cfg.Latency.Request, run)
}

// Note implements Gate.
func (e *Engine) Note(n Note) {
	if len(e.trace.Notes) >= e.cfg.Limits.Notes {
		e.end(Stop{Cause: StopBudget, Point: Point{Process: n.Process}, Text: fmt.Sprintf("more than %d log lines and queue operations", e.cfg.Limits.Notes)})
		return
	}
	n.At, n.After = e.now, len(e.trace.Steps)
	e.trace.Notes = append(e.trace.Notes, n)
	if n.Op != QueueGet {
		return
	}
	// A loop that reads caches only never comes to a decision that could be refused.
	taken := Point{Process: n.Process, Verb: VerbTake, Kind: n.Source, Object: n.Key}
	if e.tallyOf(taken).often(e.now) > e.cfg.Limits.PerKey && !e.asked(n.Process) {
		e.end(Stop{Cause: StopHotLoop, Point: taken})
	}
}

// asked says whether the process asked anybody for anything in this second.
func (e *Engine) asked(process string) bool {
	for i := len(e.trace.Steps) - 1; i >= 0 && e.trace.Steps[i].At >= e.now.Truncate(time.Second); i-- {
		if p := &e.trace.Steps[i].Point; p.Process == process && !befalls(p.Verb) {
			return true
		}
	}
	return false
}

// befalls tells what is done to a process from what it does.
func befalls(verb string) bool {
	return verb == VerbDeliver || verb == VerbStart || verb == VerbStop || verb == VerbSteal
}
