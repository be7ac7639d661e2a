package explore

import (
	"net/http"
	"slices"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// ladder are the delays that are tried: one that reorders neighbours, one that
// outlasts a stand-in's work, one that outlasts short time-outs and grown
// back-offs, and one that outlasts nearly everything.
var ladder = []time.Duration{20 * time.Millisecond, time.Second, time.Minute, 400 * time.Second}

// inFlight are the delays of requests and calls: kube-apiserver gives a request up
// after a minute, so none is executed later than that.
var inFlight = []time.Duration{20 * time.Millisecond, time.Second, 30 * time.Second}

// ladderOf are the delays that a decision can have.
func ladderOf(p engine.Point) []time.Duration {
	switch p.Verb {
	case engine.VerbDeliver, engine.VerbWork, engine.VerbTimer, engine.VerbStart:
		return ladder
	}
	if p.Process == engine.User {
		return ladder
	}
	return inFlight
}

// restart is how long after a crash a process starts again.
const restart = time.Second

// Failures that an API server gives to a request that is right. A live read of an
// object that is there is never answered with 404; discovery is, before a CRD is
// established.
var (
	readFailures      = []int{http.StatusForbidden, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}
	writeFailures     = append([]int{http.StatusConflict, http.StatusUnprocessableEntity}, readFailures...)
	watchFailures     = []int{http.StatusInternalServerError, http.StatusServiceUnavailable}
	discoveryFailures = append([]int{http.StatusNotFound}, readFailures...)
)

// choices are all single perturbations of the written order, those of the code
// under test before those of its surroundings: deliveries, then what the user
// does, then requests and calls, crashes, what befalls the process as a whole, and
// last the stand-ins. A stand-in may
// be slow, but it never fails: its failures are no fault of the code under test.
func (p *Player) choices() []engine.Perturbation {
	var deliveries, user, requests, crashes, standIns, others []engine.Perturbation
	for i := range p.written.steps {
		s := &p.written.steps[i]
		d := decisionOf(s)
		others = append(others, p.others(d)...)
		switch {
		case s.Point.Process == engine.User:
			user = append(user, p.inTurn(i, p.ofUser(s))...)
		case !p.under[s.Point.Process]:
			if s.Point.Detail != engine.Bookmark && s.Point.Process != clockProcess {
				standIns = append(standIns, delays(s.Point)...)
			}
		case s.Point.Verb == engine.VerbDeliver:
			deliveries = append(deliveries, perturbed(d)...)
		default:
			for _, c := range perturbed(d) {
				if c.Crash != "" {
					crashes = append(crashes, c)
				} else {
					requests = append(requests, c)
				}
			}
		}
	}
	all := slices.Concat(deliveries, user, requests, crashes, others, standIns)
	return slices.DeleteFunc(all, func(c engine.Perturbation) bool { return p.isWritten(c.Point) })
}

// isWritten says that the story's own schedule has the point.
func (p *Player) isWritten(point string) bool {
	return slices.ContainsFunc(p.Story.Schedule, func(q scenario.Perturbation) bool { return q.Point == point })
}

// clockProcess is the process of the informers' clocks, which are part of the
// story, in traces.
const clockProcess = "informer-clock"

func delays(p engine.Point) []engine.Perturbation {
	var all []engine.Perturbation
	for _, d := range ladderOf(p) {
		all = append(all, engine.Perturbation{Point: p.String(), Delay: d})
	}
	return all
}

// postponed are the delays that bring an event of the timeline just behind each
// later write: a user may act at any moment.
func (p *Player) postponed(user *engine.Step) []engine.Perturbation {
	var all []engine.Perturbation
	last := time.Duration(0)
	for i := range p.written.steps {
		s := &p.written.steps[i]
		if s.At <= user.At || len(s.Changes) == 0 || s.Point.Process == engine.User {
			continue
		}
		// A millisecond later: before any cache has seen the write.
		if d := s.At - user.At + time.Millisecond; d != last {
			all = append(all, engine.Perturbation{Point: user.Point.String(), Delay: d})
			last = d
		}
	}
	return all
}

// perturbed are the perturbations of a decision of the code under test.
func perturbed(d Decision) []engine.Perturbation {
	if d.Point.Detail == engine.Bookmark {
		return nil
	}
	all := delays(d.Point)
	at := d.Point.String()
	add := func(p engine.Perturbation) {
		p.Point = at
		all = append(all, p)
	}
	switch d.Point.Verb {
	case engine.VerbStart, engine.VerbStop:
		return all
	case engine.VerbDeliver:
		add(engine.Perturbation{Break: engine.BreakAgain})
		add(engine.Perturbation{Break: engine.BreakGone})
		return all
	case engine.VerbCall:
		if d.Instant {
			return all
		}
	default:
		for _, status := range failures(d.Point) {
			add(engine.Perturbation{Status: status})
		}
	}
	add(engine.Perturbation{Reset: true})
	if d.Point.Verb == engine.VerbCall || isWrite(d.Point) {
		add(engine.Perturbation{Lost: true})
		add(engine.Perturbation{Crash: engine.CrashBefore, Restart: restart})
		add(engine.Perturbation{Crash: engine.CrashAfter, Restart: restart})
	}
	return all
}

func isWrite(p engine.Point) bool {
	switch p.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return true
	}
	return false
}

func failures(p engine.Point) []int {
	switch {
	case isWrite(p):
		return writeFailures
	case p.Verb == "watch":
		return watchFailures
	case p.Kind == "":
		return discoveryFailures
	}
	return readFailures
}
