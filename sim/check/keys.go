package check

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A Key is what Dropped tells of one key of one queue, as data: for whoever draws
// it instead of printing it.
type Key struct {
	Process, Queue, Name string
	Attempts             []Attempt
	// Fate is what became of the key by the end of the run, in words.
	Fate string
	// Dropped says that the key was worked on and that nothing would bring it back
	// but a new event.
	Dropped bool
	// Missed are the deliveries to the process after the last attempt of a dropped
	// key that enqueued nothing, as indices of steps; of each object the first one.
	Missed []int
}

// An Attempt is the work on a key from the queue's get to its done.
type Attempt struct {
	Start, End time.Duration
	Running    bool // it had not ended when the run did
	// Delay is what the back-off put between the attempt before and this one, and
	// Cap is the most it can be; both are 0 if no back-off led to this attempt.
	Delay, Cap time.Duration
	// FirstStep and LastStep bound the steps between get and done: [first, last).
	FirstStep, LastStep int
	// FirstNote and LastNote are the notes of get and done.
	FirstNote, LastNote int
}

// Keys are the keys of all queues of a run, sorted by process, queue and name.
// Limiters say how the queues back off, as for Dropped.
func Keys(t *engine.Trace, limiters ...Limiter) []Key {
	var all []Key
	for _, h := range histories(t, t.End, limiters) {
		all = append(all, h.asKey(t, limiters))
	}
	return all
}

// Limiters are what the back-off checks of a scenario say of its queues.
func Limiters(s *scenario.Scenario) []Limiter {
	var all []Limiter
	for i := range s.Expect {
		if b := s.Expect[i].Backoff; b != nil {
			all = append(all, limiterOf(b))
		}
	}
	return all
}

// Condition is the expression that a check is about; empty if it is about none.
func Condition(c *scenario.Check) string {
	if condition, _, _ := parts(c); condition != nil {
		return condition.Source
	}
	return ""
}

func (h *history) asKey(t *engine.Trace, limiters []Limiter) Key {
	last := h.last()
	k := Key{Process: h.process, Queue: h.queue, Name: h.key, Fate: h.fate(t, last)}
	limiter := h.limiter(limiters)
	failures := 0
	for _, a := range h.attempts {
		at := Attempt{
			Start: a.start, End: a.end, Running: a.running,
			FirstStep: a.firstStep, LastStep: a.lastStep, FirstNote: a.firstNote, LastNote: a.lastNote,
		}
		if a.running {
			at.End, at.LastStep, at.LastNote = t.End, len(t.Steps), len(t.Notes)-1
		}
		if a.fresh {
			failures = 0
		} else {
			at.Delay, at.Cap = limiter.Delay(failures), limiter.Cap
			failures++
		}
		k.Attempts = append(k.Attempts, at)
	}
	k.Dropped = last != nil && !last.running && h.isGone() && !h.lost.known
	if k.Dropped {
		k.Missed = missed(t, h.process, last.lastStep)
	}
	return k
}

func (h *history) limiter(limiters []Limiter) Limiter {
	for _, l := range limiters {
		if l.covers(h) {
			return l
		}
	}
	return defaultLimiter
}

// missed are the deliveries from a step on that enqueued nothing, the first of
// each object.
func missed(t *engine.Trace, process string, from int) []int {
	enqueued := enqueuing(t, process)
	seen := map[engine.Ref]bool{}
	var all []int
	for i := from; i < len(t.Steps); i++ {
		p := &t.Steps[i].Point
		ref := engine.Ref{Kind: p.Kind, Name: p.Object}
		if p.Process != process || p.Verb != engine.VerbDeliver || p.Detail == engine.Bookmark || enqueued[i+1] || seen[ref] {
			continue
		}
		seen[ref] = true
		all = append(all, i)
	}
	return all
}
