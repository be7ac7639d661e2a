package check

import (
	"cmp"
	"slices"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A history is what the notes of a process tell of one key of one of its queues.
type history struct {
	process, queue, key string

	attempts []attempt
	queued   instant // waits to be taken, since when
	retry    waiting
	lost     instant // the process stopped, and the queue with it
	failures int     // rate-limited retries since the key was last forgotten
	fresh    bool    // forgotten, or new, since the last attempt
}

// An attempt is the work on a key from the queue's get to its done.
type attempt struct {
	start, end time.Duration
	running    bool // no done yet
	fresh      bool // no back-off led to it
	// Of the trace: the notes [firstNote, lastNote] and the steps
	// [firstStep, lastStep) that came between get and done.
	firstNote, lastNote int
	firstStep, lastStep int
}

// waiting is a key's place among the delayed ones.
type waiting struct {
	known   bool
	due     time.Duration
	limited bool // by the rate limiter, not by an add-after
}

// last is the latest attempt, or nil.
func (h *history) last() *attempt {
	if len(h.attempts) == 0 {
		return nil
	}
	return &h.attempts[len(h.attempts)-1]
}

// histories reads the queues of all processes until an instant, sorted by
// process, queue and key.
func histories(t *engine.Trace, until time.Duration, limiters []Limiter) []*history {
	r := historian{trace: t, limiters: limiters, byKey: map[historyKey]*history{}}
	for i := range t.Notes {
		if t.Notes[i].At > until {
			break
		}
		r.passSteps(t.Notes[i].After)
		r.note(i)
	}
	steps := len(t.Steps)
	for steps > r.step && t.Steps[steps-1].At > until {
		steps--
	}
	r.passSteps(steps)
	slices.SortFunc(r.all, func(a, b *history) int {
		return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(a.queue, b.queue), cmp.Compare(a.key, b.key))
	})
	return r.all
}

type historyKey struct{ process, queue, key string }

type historian struct {
	trace    *engine.Trace
	limiters []Limiter
	byKey    map[historyKey]*history
	all      []*history
	step     int // steps passed so far
}

// passSteps moves over the steps before the given one, to see processes stop:
// their queues end with them.
func (r *historian) passSteps(before int) {
	for ; r.step < min(before, len(r.trace.Steps)); r.step++ {
		s := &r.trace.Steps[r.step]
		switch s.Point.Verb {
		case engine.VerbStart, engine.VerbStop:
			r.stopped(s.Point.Process, s.At)
		case "crash", "restart": // of the timeline
			r.stopped(s.Point.Object, s.At)
		}
	}
}

func (r *historian) stopped(process string, at time.Duration) {
	for _, h := range r.all {
		if h.process == process {
			h.lose(at)
		}
	}
}

// lose empties what a process held in memory; its past attempts stay known.
func (h *history) lose(at time.Duration) {
	if a := h.last(); a != nil && a.running {
		a.running, a.end, a.lastNote, a.lastStep = false, at, a.firstNote, a.firstStep
	}
	h.lost = instant{true, at}
	h.queued, h.retry, h.failures, h.fresh = instant{}, waiting{}, 0, true
}

func (r *historian) note(i int) {
	n := &r.trace.Notes[i]
	if n.Source == engine.SourceProcess {
		// At its end, a run stops every process; nothing is lost by that.
		if n.At < r.trace.End {
			r.stopped(n.Process, n.At)
		}
		return
	}
	if !isQueueOp(n.Op) {
		return
	}
	h := r.of(n)
	h.lost = instant{}
	switch n.Op {
	case engine.QueueAdd:
		if !h.queued.known {
			h.queued = instant{true, n.At}
		}
	case engine.QueueAddAfter:
		delay, _ := time.ParseDuration(n.Text)
		h.wait(n.At+delay, false)
	case engine.QueueRateLimited:
		h.failures++
		h.wait(n.At+r.delay(h, n.Text), true)
	case engine.QueueForget:
		h.failures, h.fresh = 0, true
	case engine.QueueGet:
		h.get(i, n)
	case engine.QueueDone:
		h.done(i, n)
	}
}

func isQueueOp(op string) bool {
	switch op {
	case engine.QueueAdd, engine.QueueAddAfter, engine.QueueRateLimited,
		engine.QueueForget, engine.QueueGet, engine.QueueDone:
		return true
	}
	return false
}

func (r *historian) of(n *engine.Note) *history {
	id := historyKey{n.Process, n.Source, n.Key}
	h := r.byKey[id]
	if h == nil {
		h = &history{process: n.Process, queue: n.Source, key: n.Key, fresh: true}
		r.byKey[id] = h
		r.all = append(r.all, h)
	}
	return h
}

// wait puts the key among the delayed ones. It keeps the earlier due time, as
// client-go's delaying queue does.
func (h *history) wait(due time.Duration, limited bool) {
	if !h.retry.known || due < h.retry.due {
		h.retry = waiting{true, due, limited}
	}
}

func (h *history) get(i int, n *engine.Note) {
	h.attempts = append(h.attempts, attempt{start: n.At, running: true, fresh: h.fresh, firstNote: i, firstStep: n.After})
	// A key that nobody added came out of the delayed ones.
	if h.retry.due <= n.At || !h.queued.known {
		h.retry = waiting{}
	}
	h.queued, h.fresh = instant{}, false
}

func (h *history) done(i int, n *engine.Note) {
	if a := h.last(); a != nil && a.running {
		a.running, a.end, a.lastNote, a.lastStep = false, n.At, i, n.After
	}
}

// delay is the rate limiter's: what the note says, else what is known of the
// queue.
func (r *historian) delay(h *history, text string) time.Duration {
	if d, err := time.ParseDuration(text); err == nil {
		return d
	}
	for _, l := range r.limiters {
		if l.covers(h) {
			return l.Delay(h.failures - 1)
		}
	}
	return defaultLimiter.Delay(h.failures - 1)
}
