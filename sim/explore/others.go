package explore

import (
	"slices"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// How late a user does something again: while the first time is still worked on,
// and when all is over.
var again = []time.Duration{time.Second, time.Minute}

// offsets are how far a process' clock is off: less and more than the time-outs
// that controllers compute from timestamps.
var offsets = []time.Duration{30 * time.Second, -30 * time.Second, 10 * time.Minute, -10 * time.Minute}

const (
	// cutOff is how long a process is cut off: a lease of 15 s runs out.
	cutOff = 20 * time.Second
	// behind is how far a front-end of the API is behind.
	behind = 30 * time.Second
)

// ofUser are the perturbations of a user's step: it comes later, or was sent twice.
func (p *Player) ofUser(s *engine.Step) []engine.Perturbation {
	all := append(delays(s.Point), p.postponed(s)...)
	if s.Point.Verb == "mark" {
		return all
	}
	for _, after := range again {
		all = append(all, engine.Perturbation{Point: s.Point.String(), Repeat: after})
	}
	return all
}

// inTurn are those perturbations of the i-th step, a user's, that come before what
// the user does next with that object: a deletion before the creation, or an old
// rule after its correction, is another story.
func (p *Player) inTurn(i int, all []engine.Perturbation) []engine.Perturbation {
	steps := p.written.steps
	user := &steps[i]
	next := slices.IndexFunc(steps[i+1:], func(s engine.Step) bool {
		return s.Point.Process == engine.User && s.Point.Kind == user.Point.Kind && s.Point.Object == user.Point.Object
	})
	if next < 0 {
		return all
	}
	return slices.DeleteFunc(all, func(q engine.Perturbation) bool {
		return user.At+q.Delay+q.Repeat >= steps[i+1+next].At
	})
}

// others are the perturbations of a decision that are not about its outcome: the
// process is cut off, has a wrong clock, is not the leader any more, or starts
// again on an older state than it has seen.
func (p *Player) others(d Decision) []engine.Perturbation {
	var all []engine.Perturbation
	add := func(q engine.Perturbation) {
		q.Point = d.Point.String()
		all = append(all, q)
	}
	switch process := d.Point.Process; {
	case !p.under[process] || d.Point.Kind == "Lease":
	case d.Point.Verb == engine.VerbStart && d.Point.N == 1:
		for _, by := range offsets {
			add(engine.Perturbation{Clock: by})
		}
	case d.Point.Verb == engine.VerbCall && !d.Instant || isWrite(d.Point):
		add(engine.Perturbation{Pause: cutOff})
		if p.elects[process] {
			add(engine.Perturbation{Steal: true})
		}
		if p.Story.Given.FrontEnds() > 1 {
			add(engine.Perturbation{Crash: engine.CrashAfter, Restart: restart, Stale: behind})
		}
	case d.Point.Verb == "list" && p.Story.Given.FrontEnds() > 1:
		add(engine.Perturbation{Stale: behind})
	}
	return all
}
