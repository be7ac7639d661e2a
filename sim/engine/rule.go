package engine

import (
	"slices"
	"time"
)

// A Rule is an informer's clock: it slows or stops the watch of one process for
// one kind, or only from the events of one object on.
type Rule struct {
	process, kind, object string
	lag                   time.Duration
	held                  bool
	matched               bool
}

// Lag makes every delivery that matches take that long instead of the default.
// object is "namespace/name", or empty for all.
func (e *Engine) Lag(process, kind, object string, lag time.Duration) *Rule {
	r := &Rule{process: process, kind: kind, object: object, lag: lag}
	e.rules = append(e.rules, r)
	return r
}

// Hold stops every delivery that matches until Release. What stands in line
// behind a held event of the same watch waits too.
func (e *Engine) Hold(process, kind, object string) *Rule {
	r := &Rule{process: process, kind: kind, object: object, held: true}
	e.rules = append(e.rules, r)
	for _, f := range e.feeds {
		if f.offered != nil && r.covers(f, f.line[0].event) {
			e.drop(f.offered)
			f.offered = nil
			r.matched = true
		}
	}
	return r
}

// Release ends a rule; what it held is due at once, in order.
func (e *Engine) Release(r *Rule) {
	e.rules = slices.DeleteFunc(e.rules, func(o *Rule) bool { return o == r })
	for _, f := range e.feeds {
		e.advance(f)
	}
}

// Matched tells whether the rule ever slowed or stopped anything.
func (r *Rule) Matched() bool { return r.matched }

func (r *Rule) covers(f *feed, ev Event) bool {
	if r.process != f.process || r.kind != f.kind {
		return false
	}
	return r.object == "" || (ev.Revision != nil && ev.Revision.Ref().Key() == r.object)
}

// clockOf finds the latency of a delivery, and whether a rule holds it.
func (e *Engine) clockOf(f *feed, ev Event) (lag time.Duration, held bool) {
	lag = e.cfg.Latency.Deliver
	for _, r := range e.rules {
		if !r.covers(f, ev) {
			continue
		}
		r.matched = true
		if r.held {
			return 0, true
		}
		lag = r.lag
	}
	return lag, false
}
