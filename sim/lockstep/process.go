package lockstep

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"runtime/pprof"
	"sync/atomic"
)

// A process is one incarnation of a program.
type process struct {
	run     *run
	name    string
	cancel  context.CancelFunc
	dead    chan struct{} // closed when the process is stopped
	stopped atomic.Bool   // says the same
	done    chan struct{} // closed when the program returned
}

// startProcess runs a program in a goroutine of its own. The goroutines that it starts
// inherit its pprof labels, by which leaks are told apart.
func (r *run) startProcess(name string, args []string) error {
	program, ok := r.programs[name]
	if !ok {
		return fmt.Errorf("lockstep: no program for process %q", name)
	}
	r.procs.Lock()
	defer r.procs.Unlock()
	if _, up := r.processes[name]; up {
		return fmt.Errorf("lockstep: process %q is already up", name)
	}
	labels := pprof.Labels(labelRun, r.label, labelProcess, name)
	ctx, cancel := context.WithCancel(pprof.WithLabels(context.Background(), labels))
	p := &process{run: r, name: name, cancel: cancel, dead: make(chan struct{}), done: make(chan struct{})}
	r.processes[name] = p
	r.started = append(r.started, p)
	go func() {
		pprof.SetGoroutineLabels(ctx)
		defer close(p.done)
		defer func() {
			if v := recover(); v != nil {
				p.tell(Arrival{Kind: Panic, Text: fmt.Sprintf("%v\n\n%s", v, debug.Stack())})
			}
		}()
		exit := Arrival{Kind: Exit}
		if err := program(ctx, NewEnv(name, args, p)); err != nil {
			exit.Text = err.Error()
		}
		p.tell(exit)
	}()
	return nil
}

// stop kills a process: its context ends and its connections break at once.
func (r *run) stop(name string) {
	r.procs.Lock()
	p, up := r.processes[name]
	delete(r.processes, name)
	r.procs.Unlock()
	if !up {
		return
	}
	p.stopped.Store(true)
	close(p.dead)
	p.cancel()
}

// Transport implements Host.
func (p *process) Transport() http.RoundTripper { return transport{p} }

// Call implements Host: it waits at the gate.
func (p *process) Call(ctx context.Context, system, op string, args []string) ([]byte, error) {
	x := newExchange(p)
	if err := p.post(Arrival{Kind: Call, System: system, Op: op, Args: args}, x); err != nil {
		return nil, err
	}
	a, err := x.wait(ctx)
	if err != nil {
		return nil, err
	}
	if a.Error != "" {
		return nil, errors.New(a.Error)
	}
	return a.Body, nil
}

// Note implements Host.
func (p *process) Note(source, op, key, text string) {
	p.tell(Arrival{Kind: Note, Source: source, Op: op, Key: key, Text: text})
}

// isDead can be asked from anywhere: a library's global logger may still be that of
// an earlier run, whose bubble is gone with its channels.
func (p *process) isDead() bool { return p.stopped.Load() }

// post parks an arrival at the gate.
func (p *process) post(a Arrival, x *exchange) error {
	a.Process = p.name
	if p.isDead() || !p.run.inbox.add(posting{a, x}) {
		return errKilled
	}
	return nil
}

// tell posts an arrival that nobody waits for. What a dead process says counts,
// too, but is not heard.
func (p *process) tell(a Arrival) {
	a.Process = p.name
	switch {
	case a.Kind == Note:
		p.run.inbox.note(posting{Arrival: a}, !p.isDead())
	case !p.isDead():
		p.run.inbox.add(posting{Arrival: a})
	}
}
