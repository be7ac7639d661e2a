package standin

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A Queue hands keys to a reconcile function, as a work queue with its workers
// does: a key that waits is not queued twice, and a key at work is never at work
// twice at once. The workers start when all views of the process have their
// initial state, as controllers wait for their informers' caches.
type Queue struct {
	s         *StandIn
	o         QueueOptions
	reconcile func(key string) Plan

	waiting []string
	dirty   map[string]bool // waits, or comes back when it is done
	busy    map[string]bool
	fails   map[string]int
	later   map[string]*delayed
}

// QueueOptions say how a queue works.
type QueueOptions struct {
	Kind string // of the objects that keys name
	// Latency is the time from taking a key to reading the caches; the first
	// write is raised at that moment.
	Latency time.Duration
	// Workers is how many keys may be at work at once; default 1.
	Workers int
	// Backoff is the delay after failures; default ItemBackoff.
	Backoff Backoff
}

type delayed struct {
	due    time.Duration
	cancel func()
}

// NewQueue makes a queue of the process.
func (s *StandIn) NewQueue(o QueueOptions, reconcile func(key string) Plan) *Queue {
	o.Workers = max(o.Workers, 1)
	if o.Backoff == (Backoff{}) {
		o.Backoff = ItemBackoff
	}
	q := &Queue{
		s: s, o: o, reconcile: reconcile,
		dirty: map[string]bool{}, busy: map[string]bool{}, fails: map[string]int{}, later: map[string]*delayed{},
	}
	s.queues = append(s.queues, q)
	return q
}

// Add queues a key.
func (q *Queue) Add(key string) {
	if q.dirty[key] {
		return
	}
	q.dirty[key] = true
	if !q.busy[key] {
		q.waiting = append(q.waiting, key)
		q.start()
	}
}

// AddAfter queues a key after a delay. A key that is due earlier already stays
// so, a later one is brought forward. why names the timer.
func (q *Queue) AddAfter(key string, delay time.Duration, why string) {
	if delay <= 0 {
		q.Add(key)
		return
	}
	due := q.s.Gate.Elapsed() + delay
	if d := q.later[key]; d != nil {
		if d.due <= due {
			return
		}
		d.cancel()
	}
	d := &delayed{due: due}
	d.cancel = q.s.Timer(engine.ParseKey(q.o.Kind, key), why, delay, func() {
		delete(q.later, key)
		q.Add(key)
	})
	q.later[key] = d
}

// Forget ends the back-off of a key.
func (q *Queue) Forget(key string) { delete(q.fails, key) }

// start puts idle workers to work, once the caches are filled.
func (q *Queue) start() {
	if q.s.unsynced > 0 {
		return
	}
	for len(q.waiting) > 0 && len(q.busy) < q.o.Workers {
		key := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.busy[key] = true
		ref := engine.ParseKey(q.o.Kind, key)
		p := engine.Point{Verb: engine.VerbWork, Kind: ref.Kind, Object: key}
		q.s.After(p, q.o.Latency, func() engine.Outcome { return q.work(key) })
	}
}

// work runs one reconcile. Events that arrived since the key was taken are in
// the caches by now, so they need no further one.
func (q *Queue) work(key string) engine.Outcome {
	delete(q.dirty, key)
	plan := q.reconcile(key)
	out := engine.Outcome{Text: OK}
	if plan.Err != nil {
		out.Text = plan.Err.Error()
	}
	q.s.execute(plan, func(err error) { q.finish(key, err) })
	return out
}

func (q *Queue) finish(key string, err error) {
	delete(q.busy, key)
	if err == nil {
		q.Forget(key)
	} else {
		q.retry(key, err)
	}
	if q.dirty[key] {
		q.waiting = append(q.waiting, key)
	}
	q.start()
}

func (q *Queue) retry(key string, err error) {
	q.fails[key]++
	delay := q.o.Backoff.Delay(q.fails[key])
	q.s.Gate.Note(engine.Note{
		Process: q.s.Process, Source: q.o.Kind, Op: engine.QueueRateLimited, Key: key, Text: err.Error(),
	})
	q.AddAfter(key, delay, "back-off "+delay.String())
}
