package lockstep

import (
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"syscall"
	"testing"
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
