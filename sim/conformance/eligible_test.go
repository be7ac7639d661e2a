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

// paces are how slow servers and networks may be in real time, beside the pace of
// the simulation. They differ in what is slower than what.
var paces = []engine.Latency{
	{Request: 2 * time.Millisecond, Deliver: 15 * time.Millisecond, Call: time.Millisecond},
	{Request: 5 * time.Millisecond, Deliver: 3 * time.Millisecond, Call: time.Millisecond},
	{Request: 10 * time.Millisecond, Deliver: 2 * time.Millisecond, Call: time.Millisecond},
	{Request: 12 * time.Millisecond, Deliver: 12 * time.Millisecond, Call: time.Millisecond},
}

// close tells whether a simulated run would have gone another way at another pace:
// then a race decides it, and how a real server's ends is left to chance.
func (p *play) close(t *testing.T) bool {
	t.Helper()
	want := outcomeOf(p.simulated)
	return slices.ContainsFunc(paces, func(pace engine.Latency) bool {
		r := sim.Run(t, p.story, p.variant, sim.Options{Seed: 1, Latency: pace})
		return len(parted(outcomeOf(r), want)) > 0
	})
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
