package lockstep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// How long, in real time, a parent waits for a child beyond what the child's own
// watchdog takes, and for its end once it was told to end.
const (
	startWait = 60 * time.Second
	graceWait = 10 * time.Second
	quitWait  = 2 * time.Second
)

// A child is a process that serves runs.
type child struct {
	cmd      *exec.Cmd
	wire     *wire
	from     *os.File // the parent's end of what the child writes
	to       *os.File
	output   tail
	programs []string
}

// startChild starts the command and waits for its first frame.
func startChild(cmd *exec.Cmd) (*child, error) {
	fromParent, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer fromParent.Close()
	from, toParent, err := os.Pipe()
	if err != nil {
		to.Close()
		return nil, err
	}
	defer toParent.Close()
	c := &child{cmd: cmd, wire: newWire(from, to), from: from, to: to}
	cmd.ExtraFiles = []*os.File{fromParent, toParent} // fdFromParent, fdToParent
	cmd.Stdout, cmd.Stderr = &c.output, &c.output
	cmd.Env = childEnv(cmd.Environ())
	if err := cmd.Start(); err != nil {
		from.Close()
		to.Close()
		return nil, err
	}
	toParent.Close() // so that the read below ends when the child does
	f, err := c.receive(startWait)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the program did not get as far as to serve: %s", c.autopsy(err).text)
	case f.Hello == nil || f.Hello.Protocol != protocol:
		c.kill()
		return nil, fmt.Errorf("the program speaks another version of the protocol: expected %d, found %+v: build it anew", protocol, f.Hello)
	}
	c.programs = f.Hello.Programs
	return c, nil
}

// childEnv adds what a child needs: Options.Seed takes effect, and bubbles work
// whatever version of Go the module names.
func childEnv(env []string) []string {
	debug := "randseednop=0,asynctimerchan=0"
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "GODEBUG="); ok && v != "" {
			debug = v + "," + debug
		}
	}
	return append(env, "GODEBUG="+debug, envChild+"=1")
}

// receive waits for the next frame for some real time.
func (c *child) receive(within time.Duration) (*frame, error) {
	// A child may hang, and its clock is the real one.
	if err := c.from.SetReadDeadline(time.Now().Add(within)); err != nil {
		return nil, err
	}
	return c.wire.receive()
}

// A death is the end of a child.
type death struct {
	text string
	// own says that the program ended by itself: with a panic, or an exit code.
	own bool
}

// autopsy waits for the end of a child that does not answer, and says how it
// ended; err is what the pipe said. One that lives on is made to print what its
// goroutines do.
func (c *child) autopsy(err error) death {
	c.to.Close()
	defer c.from.Close()
	ended := make(chan error, 1)
	go func() { ended <- c.cmd.Wait() }()
	own, end := c.awaitEnd(ended)
	how := "exit status 0"
	if end != nil {
		how = end.Error()
	}
	if !own {
		how = "it did not answer and was ended"
	}
	if err != nil && !isSilence(err) {
		how = err.Error() + ": " + how
		own = false
	}
	var exit *exec.ExitError
	own = own && (end == nil || errors.As(end, &exit) && exit.Exited())
	if words := c.output.lastWords(); words != "" {
		how += "\n" + words
	}
	return death{text: how, own: own}
}

// awaitEnd gives a child time to end, then makes it end. It reports whether the
// child ended by itself.
func (c *child) awaitEnd(ended <-chan error) (own bool, err error) {
	for _, signal := range []os.Signal{syscall.SIGQUIT, os.Kill} {
		select {
		case err := <-ended:
			return signal == syscall.SIGQUIT, err // it was sent none yet
		case <-time.After(quitWait):
			// It may have ended in this moment; then the next wait sees it.
			_ = c.cmd.Process.Signal(signal)
		}
	}
	return false, <-ended
}

// close lets a child that serves no run end.
func (c *child) close() { c.autopsy(nil) }

// kill ends a child at once.
func (c *child) kill() {
	// It may have ended by itself.
	_ = c.cmd.Process.Kill()
	c.autopsy(nil)
}

// isSilence tells the errors of a pipe whose other end is gone, or says nothing.
func isSilence(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrDeadlineExceeded)
}
