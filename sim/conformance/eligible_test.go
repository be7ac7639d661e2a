package conformance

import (
	"slices"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/cluster"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// Reasons why a story is not played on a real server.
const (
	leftForced = "force an order (hold, lag, schedule)"
	leftClose  = "are decided by milliseconds"
	leftPart   = "have the simulated server's own garbage collector"
	leftLong   = "take longer than the time given"
)

// forced tells why a story cannot be played where nothing waits for a gate; ""
// means that it can. A hold, a lag or a perturbation decides an order that a real
// server leaves to chance.
func forced(story *sim.Story) string {
	if len(story.Informers) > 0 || len(story.Schedule) > 0 {
		return leftForced
	}
	if slices.Contains(story.Given.StandIns, cluster.Garbage) {
		return leftPart
	}
	return ""
}

// A pace is how slow things may be in real time: requests to the server, news on
// their way to a client, and the timeline's events, which wait for news and for a
// processor.
type pace struct{ request, deliver, late time.Duration }

// paces differ in what is slower than what.
var paces = []pace{
	{request: 2 * time.Millisecond, deliver: 15 * time.Millisecond},
	{request: 5 * time.Millisecond, deliver: 3 * time.Millisecond},
	{request: 10 * time.Millisecond, deliver: 2 * time.Millisecond},
	{request: 2 * time.Millisecond, deliver: 6 * time.Millisecond},
	{request: 8 * time.Millisecond, deliver: 16 * time.Millisecond},
	{request: 12 * time.Millisecond, deliver: 12 * time.Millisecond},
	{request: 15 * time.Millisecond, deliver: 30 * time.Millisecond},
	{late: 10 * time.Millisecond},
	{late: 30 * time.Millisecond},
	{request: 10 * time.Millisecond, deliver: 10 * time.Millisecond, late: 30 * time.Millisecond},
}

// close tells whether a simulated run would have gone another way at another pace:
// then a race decides it, and how a real server's ends is left to chance.
func (p *play) close(t *testing.T) bool {
	t.Helper()
	want := outcomeOf(p.simulated)
	return slices.ContainsFunc(paces, func(at pace) bool {
		r := sim.Run(t, p.story, p.variant, sim.Options{Seed: 1, Schedule: p.late(at.late),
			Latency: engine.Latency{Request: at.request, Deliver: at.deliver}})
		return len(parted(outcomeOf(r), want)) > 0
	})
}

// late delays all that the timeline did in the simulated run.
func (p *play) late(by time.Duration) []engine.Perturbation {
	var all []engine.Perturbation
	for i := range p.simulated.Trace.Steps {
		if point := p.simulated.Trace.Steps[i].Point; by > 0 && point.Process == engine.User {
			all = append(all, engine.Perturbation{Point: point.String(), Delay: by})
		}
	}
	return all
}

// tail is how long a run goes on after the last write of the simulated one: news
// of it have long arrived everywhere by then.
const tail = 5 * time.Second

// lengthOf is how long a story has to be played in real time, given its simulated
// run. After the last write nothing happens up to the story's end but reads, so
// that is not waited for, unless a check counts them.
func lengthOf(r *sim.Result) time.Duration {
	for i := range r.Story.Expect {
		if counts(&r.Story.Expect[i]) {
			return r.Story.Until
		}
	}
	last := time.Duration(0)
	for i := range r.Trace.Steps {
		s := &r.Trace.Steps[i]
		if len(s.Changes) > 0 || s.Point.Process == engine.User || slices.Contains(writes, s.Point.Verb) {
			last = s.At
		}
	}
	return min(r.Story.Until, last+tail)
}

// writes are the verbs of requests that change something, or try to.
var writes = []string{"create", "update", "patch", "delete", "deletecollection"}

// counts are the checks that hear of requests and queues.
func counts(c *scenario.Check) bool { return c.Backoff != nil || c.Rate != nil }
