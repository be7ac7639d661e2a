package explore

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim"
)

// A Task tells a worker process what to play.
type Task struct {
	Path    string // of the scenario
	Variant string
	Seed    uint64
	Bound   time.Duration
}

// Serve plays the schedules that arrive on in, and answers on out, until in ends.
// It is the whole of a worker process. story loads a scenario.
func Serve(t *testing.T, in io.Reader, out io.Writer, story func(path string) (*sim.Story, error)) error {
	decoder, buffered := gob.NewDecoder(in), bufio.NewWriter(out)
	encoder := gob.NewEncoder(buffered)
	var task Task
	if err := decoder.Decode(&task); err != nil {
		return fmt.Errorf("a worker's task: %w", err)
	}
	s, err := story(task.Path)
	if err != nil {
		return err
	}
	p, err := NewPlayer(t, Setting{Story: s, Variant: task.Variant, Seed: task.Seed, Bound: task.Bound})
	if err != nil {
		return err
	}
	for {
		var schedule Schedule
		if err := decoder.Decode(&schedule); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("a worker's schedule: %w", err)
		}
		if err := encoder.Encode(p.PlayOne(schedule)); err != nil {
			return err
		}
		if err := buffered.Flush(); err != nil {
			return err
		}
	}
}

// A Pool is a Runner of several processes. In one process runs would share the
// source of math/rand, and disturb each other.
type Pool struct {
	task    Task
	command func() (*exec.Cmd, error)
	workers []*worker
}

// NewPool starts worker processes, each of which runs Serve.
func NewPool(n int, task Task, command func() (*exec.Cmd, error)) (*Pool, error) {
	p := &Pool{task: task, command: command}
	for range n {
		w, err := p.start()
		if err != nil {
			p.Close()
			return nil, err
		}
		p.workers = append(p.workers, w)
	}
	return p, nil
}

// Width implements Runner.
func (p *Pool) Width() int { return len(p.workers) }

// Close ends the processes.
func (p *Pool) Close() {
	for _, w := range p.workers {
		w.end()
	}
}

// Finish has the processes end by themselves, when they have nothing left to do:
// what they count for a coverage profile they write then.
func (p *Pool) Finish() error {
	var errs []error
	for _, w := range p.workers {
		_ = w.in.Close() // it may have ended by itself; Wait tells
		errs = append(errs, w.cmd.Wait())
	}
	return errors.Join(errs...)
}

// Play implements Runner. When ctx ends, it returns the outcomes of the first
// schedules, up to the first that was not played.
func (p *Pool) Play(ctx context.Context, schedules []Schedule) ([]*Outcome, error) {
	out := make([]*Outcome, len(schedules))
	next := make(chan int)
	failures := make([]error, len(p.workers))
	var running sync.WaitGroup
	for i := range p.workers {
		running.Go(func() {
			for j := range next {
				if failures[i] == nil {
					out[j], failures[i] = p.play(i, schedules[j])
				}
			}
		})
	}
	for j := range schedules {
		if ctx.Err() != nil {
			break
		}
		next <- j
	}
	close(next)
	running.Wait()
	for j, o := range out {
		if o == nil {
			return out[:j], errors.Join(failures...)
		}
	}
	return out, nil
}

// play has one worker play one schedule. A process in which a run hung still has
// that run's goroutines, so it is replaced.
func (p *Pool) play(i int, s Schedule) (*Outcome, error) {
	o, err := p.workers[i].play(s)
	if err == nil && o.Status != string(sim.Hung) {
		return o, nil
	}
	if err != nil {
		return nil, err
	}
	p.workers[i].end()
	p.workers[i], err = p.start()
	return o, err
}

// A worker is one process.
type worker struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	encoder *gob.Encoder
	decoder *gob.Decoder
}

func (p *Pool) start() (*worker, error) {
	cmd, err := p.command()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a worker process: %w", err)
	}
	w := &worker{cmd: cmd, in: in, encoder: gob.NewEncoder(in), decoder: gob.NewDecoder(bufio.NewReader(out))}
	if err := w.encoder.Encode(p.task); err != nil {
		w.end()
		return nil, fmt.Errorf("a worker process does not take its task: %w", err)
	}
	return w, nil
}

func (w *worker) play(s Schedule) (*Outcome, error) {
	if s == nil {
		s = Schedule{}
	}
	if err := w.encoder.Encode(s); err != nil {
		return nil, fmt.Errorf("a worker process has ended: %w", err)
	}
	o := &Outcome{}
	if err := w.decoder.Decode(o); err != nil {
		return nil, fmt.Errorf("a worker process has ended: %w", err)
	}
	return o, nil
}

// end kills the process: there is nothing that it would have to finish.
func (w *worker) end() {
	_ = w.in.Close()
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}
