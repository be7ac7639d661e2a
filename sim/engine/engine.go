package engine

import (
	"math/rand/v2"
	"time"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// An Engine is one run. It implements lockstep.Engine for the bubble's root and
// Gate for the parts that live inside the engine.
type Engine struct {
	cfg    Config
	now    time.Duration
	rand   *rand.Rand
	agenda agenda
	seq    uint64
	names  map[Point]*tally

	schedule map[string]*planned
	healed   time.Duration
	paused   map[string]time.Duration // until when, by process
	clocks   map[string]*planned      // of processes whose clock is off
	fronts   fronts

	out     []lockstep.Action
	waiting map[uint64]*waiter // requests and calls, by exchange
	feeds   []*feed            // open watches, in the order in which they were opened
	rules   []*Rule

	trace Trace
	step  *Step // the step being taken
	stop  Stop
	ended bool
}

// A tally counts the decisions of one name.
type tally struct {
	n      int   // raised so far
	second int64 // the second that inside counts
	inside int   // granted, or taken, in that second
}

// A Stop says why a run ended before its time.
type Stop struct {
	Cause string // one of the Stop constants, or empty
	Point Point  // what was about to happen, for StopHotLoop and StopBudget; of too many notes only who made them
	Text  string // of StopPanic what was said, of too many notes how many
}

// Causes of an early end.
const (
	StopHotLoop = "hot-loop" // one key was asked for too often
	StopBudget  = "budget"   // too many steps, or too many notes
	StopPanic   = "panic"    // a process panicked
)

// New makes the engine of one run.
func New(cfg Config) *Engine {
	cfg.setDefaults()
	e := &Engine{
		cfg:     cfg,
		rand:    rand.New(rand.NewPCG(cfg.Seed, 0x766d7265706c6179)),
		names:   make(map[Point]*tally, 64),
		waiting: map[uint64]*waiter{},
	}
	e.trace.Hash = hashStart
	e.trace.Steps = make([]Step, 0, 64)
	e.trace.Notes = make([]Note, 0, 64)
	if len(cfg.Schedule) > 0 {
		e.schedule = make(map[string]*planned, len(cfg.Schedule))
		e.paused, e.clocks = map[string]time.Duration{}, map[string]*planned{}
		e.fronts = fronts{stopped: map[string]front{}, until: map[informer]time.Duration{}}
	}
	for _, p := range cfg.Schedule {
		e.schedule[p.Point] = &planned{Perturbation: p}
	}
	return e
}

// Quiesced implements lockstep.Engine.
func (e *Engine) Quiesced(now time.Duration, arrivals []lockstep.Arrival) lockstep.Turn {
	e.now = now
	e.out = e.out[:0]
	for i := range arrivals {
		e.admit(&arrivals[i])
	}
	e.work()
	turn := lockstep.Turn{Actions: e.out, Until: e.cfg.End}
	if len(e.agenda) > 0 {
		turn.Until = min(turn.Until, e.agenda[0].due)
	}
	if !e.ended {
		turn.Lookahead = e.cfg.Latency.Request // what offer adds to it delays
	}
	turn.Done = len(e.out) == 0 && (e.ended || now >= e.cfg.End)
	if turn.Done {
		e.trace.End = now
	}
	return turn
}

// work grants what is due until something is to be done in the bubble: then the
// bubble must be quiet again before the next grant.
func (e *Engine) work() {
	for len(e.out) == 0 && !e.ended {
		it := e.next(e.now)
		if it == nil {
			return
		}
		e.grant(it)
	}
}

// Advance runs without a bubble, and so without processes: it grants all that is
// due until an instant, moving the clock from one item to the next.
func (e *Engine) Advance(until time.Duration) {
	for len(e.agenda) > 0 && e.agenda[0].due <= until && !e.ended {
		e.now = max(e.now, e.agenda[0].due)
		e.grant(e.next(e.now))
		e.out = e.out[:0]
	}
	e.now = max(e.now, until)
	e.trace.End = e.now
}

// Finish ends the run at an instant: what is still due before it is left out.
func (e *Engine) Finish(at time.Duration) {
	e.now, e.ended = max(e.now, at), true
	e.trace.End = e.now
}

// grant takes one step.
func (e *Engine) grant(it *item) {
	if e.intercepted(it) || !e.allowed(it) {
		return
	}
	step := Step{Point: it.point, Raised: it.raised, At: e.now}
	e.step = &step
	out := it.run()
	e.step = nil
	step.Outcome, step.Version = out.Text, out.Version
	e.trace.Hash = hashStep(e.trace.Hash, &step)
	e.trace.Steps = append(e.trace.Steps, step)
	if e.cfg.Observe != nil {
		e.cfg.Observe(&step)
	}
}

// allowed enforces the limits: a run that spins ends with a verdict.
func (e *Engine) allowed(it *item) bool {
	if len(e.trace.Steps) >= e.cfg.Limits.Steps {
		e.end(Stop{Cause: StopBudget, Point: it.point})
		return false
	}
	name := it.point
	name.N = 0
	if often := e.tallyOf(name).often(e.now); often > e.cfg.Limits.PerKey && name.Verb != VerbDeliver && name.Process != User {
		e.end(Stop{Cause: StopHotLoop, Point: it.point})
		return false
	}
	return true
}

// tallyOf is the tally of a name, which is a point without its number.
func (e *Engine) tallyOf(name Point) *tally {
	t := e.names[name]
	if t == nil {
		t = &tally{second: -1}
		e.names[name] = t
	}
	return t
}

// often counts one more, and says how many there were in this second.
func (t *tally) often(now time.Duration) int {
	if second := int64(now / time.Second); second != t.second {
		t.second, t.inside = second, 0
	}
	t.inside++
	return t.inside
}

func (e *Engine) end(s Stop) {
	if !e.ended {
		e.ended, e.stop = true, s
	}
}

// Committed tells the engine of a write at the server; the step in which it
// happened carries it, or the trace if it was before the first step.
func (e *Engine) Committed(c Change) {
	if e.step == nil {
		e.trace.Given = append(e.trace.Given, c)
		return
	}
	e.step.Changes = append(e.step.Changes, c)
}

// Trace is what happened so far.
func (e *Engine) Trace() *Trace { return &e.trace }

// Stopped says why the run ended early; its Cause is empty if it did not.
func (e *Engine) Stopped() Stop { return e.stop }
