package scheduler

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// Times of kube-scheduler's queue (kubevirt-behaviour E).
var podBackoff = standin.Backoff{First: time.Second, Cap: 10 * time.Second} // podInitialBackoff, podMaxBackoff

const (
	// backoffTick is how often pods whose back-off is over are made active.
	backoffTick = time.Second
	// maxParked is how long an unschedulable pod waits for a helpful event, and
	// flushTick how often that is checked.
	maxParked = 5 * time.Minute
	flushTick = 30 * time.Second
)

// parking holds the pods that could not be placed.
type parking struct {
	parked map[string]*parked
	flush  func() // cancels the timer of the next flush; nil if there is none
}

// A parked pod was tried and found unschedulable.
type parked struct {
	plugins  []string // that rejected it
	attempts int
	last     time.Duration // of the last attempt
	leaving  bool          // a helpful event happened; back-off, then active
	cancel   func()        // of the back-off's timer
}

// park keeps a pod after a failed attempt.
func (s *Scheduler) park(p *facts.Pod, plugins []string) {
	e := s.parked[p.Key()]
	if e == nil {
		e = &parked{}
		s.parked[p.Key()] = e
	}
	e.plugins, e.last, e.leaving, e.cancel = plugins, s.Gate.Elapsed(), false, nil
	e.attempts++
	s.planFlush()
}

func (s *Scheduler) unpark(key string) {
	e := s.parked[key]
	if e == nil {
		return
	}
	if e.cancel != nil {
		e.cancel()
	}
	delete(s.parked, key)
	s.planFlush()
}

// A hint tells whether something that happened may make a pod schedulable, seen
// by one of the plugins that rejected it.
type hint func(plugin string, pod *corev1.Pod) bool

func (s *Scheduler) hintAll(h hint) {
	for _, key := range s.parkedKeys() {
		s.hint(key, h)
	}
}

func (s *Scheduler) hint(key string, h hint) {
	e, p := s.parked[key], s.pods.Get(key)
	if e == nil || e.leaving || p == nil {
		return
	}
	pod := typed(p)
	if slices.ContainsFunc(e.plugins, func(plugin string) bool { return h(plugin, pod) }) {
		s.leave(key, e)
	}
}

// leave makes a parked pod active as soon as its back-off is over.
func (s *Scheduler) leave(key string, e *parked) {
	e.leaving = true
	s.planFlush()
	now := s.Gate.Elapsed()
	over := e.last + podBackoff.Delay(e.attempts)
	if over <= now {
		s.active.Add(key)
		return
	}
	delay := tickAt(over, backoffTick) - now
	e.cancel = s.Timer(engine.ParseKey(facts.KindPod, key), "back-off "+podBackoff.Delay(e.attempts).String(), delay, func() {
		e.cancel = nil
		s.active.Add(key)
	})
}

// planFlush sets the one timer of the next flush that will find something; while
// nothing is parked there is none.
func (s *Scheduler) planFlush() {
	if s.flush != nil {
		s.flush()
		s.flush = nil
	}
	var next time.Duration
	for _, e := range s.parked {
		if at := e.flushAt(); !e.leaving && (next == 0 || at < next) {
			next = at
		}
	}
	if next == 0 {
		return
	}
	s.flush = s.Timer(engine.Ref{Kind: facts.KindPod}, "unschedulable for 5m0s", next-s.Gate.Elapsed(), s.flushParked)
}

func (s *Scheduler) flushParked() {
	s.flush = nil
	for _, key := range s.parkedKeys() {
		if e := s.parked[key]; !e.leaving && e.flushAt() <= s.Gate.Elapsed() {
			s.leave(key, e)
		}
	}
	s.planFlush()
}

// flushAt is the first check at which the pod has been parked for too long.
func (e *parked) flushAt() time.Duration { return tickAt(e.last+maxParked+1, flushTick) }

func (s *Scheduler) parkedKeys() []string {
	keys := make([]string, 0, len(s.parked))
	for key := range s.parked {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// tickAt is the first multiple of period that is not before t.
func tickAt(t, period time.Duration) time.Duration {
	return (t + period - 1) / period * period
}
