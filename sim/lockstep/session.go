package lockstep

import (
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// A session is one run in a child, as the parent sees it.
type session struct {
	child     *child
	options   Options
	newEngine func(start time.Time) Engine
	engine    Engine
	now       time.Duration
	up        map[string]bool // processes that were started and not stopped

	// What the watchdog looks at.
	goroutine string
	turns     atomic.Uint64
	deciding  atomic.Bool
	hung      chan string
}

func newSession(c *child, newEngine func(time.Time) Engine, o Options) *session {
	return &session{child: c, options: o, newEngine: newEngine, up: map[string]bool{}, hung: make(chan string, 1)}
}

// watched makes the run under the eyes of the watchdog, which sees to it that the
// run ends if the child says nothing, and gives it up if the engine does not
// return. It reports whether the child lives on.
func (s *session) watched() (report Report, alive bool) {
	ended := make(chan outcome, 1)
	go func() { ended <- s.guarded() }()
	defer watch(s)()
	select {
	case text := <-s.hung:
		s.child.kill()
		return Report{Hung: text}, false
	case o := <-ended:
		return o.report, o.alive
	}
}

// An outcome is the result of a run, and whether its child lives on.
type outcome struct {
	report Report
	alive  bool
}

// guarded makes the run, and takes a panic of the engine for its result.
func (s *session) guarded() (o outcome) {
	defer func() {
		if v := recover(); v != nil {
			s.child.kill()
			o = outcome{report: Report{Hung: fmt.Sprintf("the run ended with a panic: %v\n%s", v, debug.Stack())}}
		}
	}()
	s.goroutine = currentGoroutine()
	report, alive := s.run()
	return outcome{report, alive}
}

func (s *session) progress() uint64 { return s.turns.Load() }

// limit is longer for the child than for the engine: the child has a watchdog of
// its own, which knows more.
func (s *session) limit() time.Duration {
	if s.deciding.Load() {
		return s.options.patience()
	}
	return s.options.patience() + graceWait
}

func (s *session) stuck(limit time.Duration) {
	if s.deciding.Load() {
		diagnosed(s.hung, limit, engineHangs+"\n"+stackOf(s.goroutine))
		return
	}
	s.child.interrupt()
}

// run reports whether the child lives on.
func (s *session) run() (report Report, alive bool) {
	f := &frame{Begin: &begin{Horizon: s.options.Horizon, Stuck: s.options.Stuck, Seed: s.options.Seed}}
	for {
		// Of a child that has ended, the answer tells more than that it reads no more.
		if err := s.child.wire.send(f); err != nil && !errors.Is(err, syscall.EPIPE) {
			return s.died(err), false
		}
		answer, err := s.receive()
		switch {
		case err != nil:
			return s.died(err), false
		case answer.End != nil:
			return *answer.End, true
		case answer.Ask == nil:
			s.child.kill()
			return Report{Hung: "the controller's process sent a frame that is none of a run"}, false
		}
		turn := s.decide(answer.Ask)
		f = &frame{Turn: &turn}
	}
}

// receive waits for the next frame that is more than a sign of life.
func (s *session) receive() (*frame, error) {
	for {
		f, err := s.child.wire.receive()
		s.turns.Add(1)
		if err != nil || !f.Alive {
			return f, err
		}
	}
}

func (s *session) decide(a *ask) Turn {
	if s.engine == nil {
		s.engine = s.newEngine(a.Start)
	}
	s.now = a.Now
	turn := s.quiesced(a.Arrivals)
	for i := range turn.Actions {
		switch action := &turn.Actions[i]; action.Kind {
		case Start:
			s.up[action.Process] = true
		case Stop:
			delete(s.up, action.Process)
		}
	}
	return turn
}

func (s *session) quiesced(arrivals []Arrival) Turn {
	s.deciding.Store(true)
	turn := s.engine.Quiesced(s.now, arrivals)
	s.deciding.Store(false)
	s.turns.Add(1)
	return turn
}

// died tells the engine of a process that ended by itself, and reports any other
// end of the child.
func (s *session) died(err error) Report {
	d := s.child.autopsy(err)
	if s.engine == nil || !d.own || len(s.up) == 0 {
		return Report{Hung: "the controller's process ended: " + d.text}
	}
	suspects := strings.Join(slices.Sorted(maps.Keys(s.up)), " or ")
	s.quiesced([]Arrival{{Kind: Panic, Process: suspects, Text: "the process ended: " + d.text}})
	return Report{}
}
