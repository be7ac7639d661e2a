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
	now       time.Duration   // of the last quiet point
	until     time.Duration   // when the engine wanted to be asked again, then
	done      bool            // the engine has ended the run
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
		turn, end, err := s.question()
		switch {
		case errors.Is(err, errForeign), errors.Is(err, errPromise):
			s.child.kill()
			return Report{Hung: err.Error()}, false
		case err != nil:
			return s.died(err), false
		case end != nil:
			return *end, true
		}
		f = &frame{Turn: turn}
	}
}

// Of a child that does not keep to the protocol, and of an engine that does not
// keep what it promised (Turn.Lookahead).
var (
	errForeign = errors.New("the controller's process sent a frame that is none of a run")
	errPromise = errors.New("the engine acts where it promised not to")
)

// question takes frames until one wants an answer, which it returns, or ends the run.
func (s *session) question() (*Turn, *Report, error) {
	for {
		f, err := s.receive()
		switch {
		case err != nil:
			return nil, nil, err
		case f.End != nil:
			return nil, f.End, nil
		case f.Ask == nil:
			return nil, nil, errForeign
		}
		turn, err := s.decide(f.Ask)
		if err != nil || !f.Ask.Tell {
			return turn, nil, err
		}
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

// decide lets the engine see quiet points as if it had seen each in its time, and
// returns its answer to the last.
func (s *session) decide(a *ask) (*Turn, error) {
	if s.engine == nil {
		s.engine = s.newEngine(a.Start)
	}
	var turn Turn
	for i, q := range a.Quiet {
		if s.done {
			break // the child went on, as it had not heard of it
		}
		if q.Now > max(s.now, s.until) {
			return nil, fmt.Errorf("%w: a quiet point at %v, when the engine wanted to be asked at %v", errForeign, q.Now, s.until)
		}
		s.now = q.Now
		turn = s.quiesced(q.Arrivals)
		s.until, s.done = turn.Until, turn.Done
		if unheard := a.Tell || i < len(a.Quiet)-1; unheard && len(turn.Actions) > 0 {
			return nil, fmt.Errorf("%w: %s at %v", errPromise, turn.Actions[0].Kind, q.Now)
		}
	}
	turn.Done = s.done
	s.note(turn.Actions)
	return &turn, nil
}

// note keeps count of the processes that are up.
func (s *session) note(actions []Action) {
	for i := range actions {
		switch action := &actions[i]; action.Kind {
		case Start:
			s.up[action.Process] = true
		case Stop:
			delete(s.up, action.Process)
		}
	}
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
