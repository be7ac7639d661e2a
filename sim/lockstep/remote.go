package lockstep

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Remote makes runs in child processes: test binaries that call Serve. A child
// serves many runs, one after the other; runs that go on side by side have a
// child each. A child that dies, hangs or leaks is replaced.
type Remote struct {
	// Command makes the command that starts a child. It must not set Stdout,
	// Stderr or ExtraFiles.
	Command func() *exec.Cmd
	// Isolate gives each run a process of its own.
	Isolate bool

	mu   sync.Mutex
	idle []*child
}

// Programs starts a child, if none is up, and returns the names of the programs
// that it has, sorted. The error has the reason why it did not start.
func (r *Remote) Programs() ([]string, error) {
	c, err := r.take()
	if err != nil {
		return nil, err
	}
	r.give(c)
	return c.programs, nil
}

// Close ends the children that serve no run.
func (r *Remote) Close() {
	r.mu.Lock()
	idle := r.idle
	r.idle = nil
	r.mu.Unlock()
	for _, c := range idle {
		c.close()
	}
}

func (r *Remote) take() (*child, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.idle); n > 0 {
		c := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return c, nil
	}
	return startChild(r.Command())
}

func (r *Remote) give(c *child) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle = append(r.idle, c)
}

// Run is the function Run of this package with the programs of the child:
// Options.Programs is not looked at. If the child ends in the middle of a run,
// the engine is told of a panic with the child's last words, as it is of one in
// a process of its own; if it is killed or does not answer, the Report says so.
func (r *Remote) Run(newEngine func(start time.Time) Engine, o Options) Report {
	c, err := r.take()
	if err != nil {
		return Report{Hung: "the controller's process did not start: " + err.Error()}
	}
	session := &session{child: c, newEngine: newEngine, up: map[string]bool{}}
	report, alive := session.run(o)
	switch {
	case !alive:
	case r.Isolate || !report.Clean():
		c.close()
	default:
		r.give(c)
	}
	return report
}

// A session is one run in a child.
type session struct {
	child     *child
	newEngine func(start time.Time) Engine
	engine    Engine
	now       time.Duration
	up        map[string]bool // processes that were started and not stopped
}

// run reports whether the child lives on.
func (s *session) run(o Options) (report Report, alive bool) {
	limit := o.Stuck
	if limit == 0 {
		limit = stuckAfter
	}
	limit += graceWait
	f := &frame{Begin: &begin{Horizon: o.Horizon, Stuck: o.Stuck, Seed: o.Seed}}
	for {
		if err := s.child.wire.send(f); err != nil {
			return s.died(err), false
		}
		answer, err := s.child.receive(limit)
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

func (s *session) decide(a *ask) Turn {
	if s.engine == nil {
		s.engine = s.newEngine(a.Start)
	}
	s.now = a.Now
	turn := s.engine.Quiesced(a.Now, a.Arrivals)
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

// died tells the engine of a process that ended by itself, and reports any other
// end of the child.
func (s *session) died(err error) Report {
	d := s.child.autopsy(err)
	if s.engine == nil || !d.own || len(s.up) == 0 {
		return Report{Hung: "the controller's process ended: " + d.text}
	}
	suspects := strings.Join(slices.Sorted(maps.Keys(s.up)), " or ")
	s.engine.Quiesced(s.now, []Arrival{{Kind: Panic, Process: suspects, Text: fmt.Sprintf("the process ended: %s", d.text)}})
	return Report{}
}
