package lockstep

import (
	"os/exec"
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
	return r.runIn(c, err, r.Isolate, newEngine, o)
}

// RunAlone is Run in a process that has made no run before and makes none after: what
// earlier runs left in variables of packages does not reach it.
func (r *Remote) RunAlone(newEngine func(start time.Time) Engine, o Options) Report {
	c, err := startChild(r.Command())
	return r.runIn(c, err, true, newEngine, o)
}

func (r *Remote) runIn(c *child, err error, alone bool, newEngine func(start time.Time) Engine, o Options) Report {
	if err != nil {
		return Report{Hung: "the controller's process did not start: " + err.Error()}
	}
	session := newSession(c, newEngine, o)
	report, alive := session.watched()
	switch {
	case !alive:
	case alone || !report.Clean() || c.interrupted.Load():
		c.close()
	default:
		r.give(c)
	}
	return report
}
