package lockstep

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"
)

// The pipes that a child inherits, as it sees them.
const (
	fdFromParent = 3
	fdToParent   = 4
)

// envChild tells a process that it was started as a child.
const envChild = "VMREPLAY_CHILD"

// Serve runs the programs in bubbles for the process that started this test
// binary, one run after the other, until that process closes its pipe. It is the
// body of the one test of a binding. Run by hand, under go test, the test is
// skipped: there is nobody to serve.
func Serve(t *testing.T, programs map[string]Program) {
	t.Helper()
	if os.Getenv(envChild) == "" {
		t.Skip("this test serves vmreplay, which starts it: vmreplay run --tree DIR --package PKG --binding FILE")
	}
	forgetOutsideChannels()
	// A program that the controller starts must not keep the pipes open.
	syscall.CloseOnExec(fdFromParent)
	syscall.CloseOnExec(fdToParent)
	w := newWire(os.NewFile(fdFromParent, "from parent"), os.NewFile(fdToParent, "to parent"))
	if err := serve(t, w, programs); err != nil {
		t.Fatal(err)
	}
}

func serve(t *testing.T, w *wire, programs map[string]Program) error {
	names := slices.Sorted(maps.Keys(programs))
	if err := w.send(&frame{Hello: &hello{Protocol: protocol, Programs: names}}); err != nil {
		return err
	}
	for {
		f, err := w.receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if f.Begin == nil {
			return errors.New("lockstep: expected a frame that begins a run, found another")
		}
		asking := &asking{wire: w}
		report := Run(t, asking.begin, Options{
			Programs: programs, Horizon: f.Begin.Horizon, Seed: f.Begin.Seed, Stuck: f.Begin.Stuck,
		})
		if asking.err != nil {
			return asking.err
		}
		if err := w.send(&frame{End: &report}); err != nil {
			return err
		}
		if !report.Clean() {
			// What the run left behind must not meet the next one: the parent
			// starts another child for it.
			return nil
		}
	}
}

// asking is the engine of a run in a child: it asks the parent's. The root of
// the bubble waits in a read of a pipe, during which virtual time does not pass.
type asking struct {
	wire  *wire
	start time.Time
	err   error
}

func (e *asking) begin(start time.Time) Engine {
	e.start = start
	return e
}

func (e *asking) Quiesced(now time.Duration, arrivals []Arrival) Turn {
	turn, err := e.ask(now, arrivals)
	if err != nil {
		e.err = fmt.Errorf("lockstep: ask the parent: %w", err)
		return Turn{Done: true}
	}
	return *turn
}

func (e *asking) ask(now time.Duration, arrivals []Arrival) (*Turn, error) {
	if err := e.wire.send(&frame{Ask: &ask{Start: e.start, Now: now, Arrivals: arrivals}}); err != nil {
		return nil, err
	}
	f, err := e.wire.receive()
	if err != nil {
		return nil, err
	}
	if f.Turn == nil {
		return nil, errors.New("expected a turn, found another frame")
	}
	return f.Turn, nil
}

// asleep tells the parent that a long sleep goes on. What goes wrong with it goes
// wrong with the next question, too.
func (e *asking) asleep() { _ = e.wire.send(&frame{Alive: true}) }
