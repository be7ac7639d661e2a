package lockstep

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// How long, in real time, a parent waits.
const (
	startWait = 60 * time.Second // for a child's first frame
	graceWait = 3 * time.Second  // for a frame, beyond what the child's own watchdog takes
	endWait   = 5 * time.Second  // for the end of a child that has said its last, or was told to end
	quitWait  = time.Second      // for the end of one that was made to print its stacks
	// For what is left in the pipes of a child that has ended. They stay open if
	// it has started a program that lives on.
	restWait = time.Second
)

// A child is a process that serves runs.
type child struct {
	cmd      *exec.Cmd
	wire     *wire
	from     *os.File // the parent's end of what the child writes
	to       *os.File
	output   tail
	programs []string

	interrupted atomic.Bool
	ended       chan struct{} // closed when the process has ended
	end         error         // of cmd.Wait; valid then
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
	c := &child{cmd: cmd, wire: newWire(from, to), from: from, to: to, ended: make(chan struct{})}
	cmd.ExtraFiles = []*os.File{fromParent, toParent} // fdFromParent, fdToParent
	cmd.Stdout, cmd.Stderr = &c.output, &c.output
	cmd.WaitDelay = restWait
	if cmd.SysProcAttr == nil {
		// A group of its own: Ctrl-C is meant for the parent, which ends its
		// children by closing their pipes, when it has had their answers.
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	cmd.Env = childEnv(cmd.Environ())
	if err := cmd.Start(); err != nil {
		from.Close()
		to.Close()
		return nil, err
	}
	toParent.Close() // so that the read below ends when the child does
	go c.wait()
	return c, c.greet()
}

// wait takes note of the end of the process. If the pipe stays open nevertheless,
// who reads it does not wait for ever.
func (c *child) wait() {
	c.end = c.cmd.Wait()
	close(c.ended)
	// The pipe may be closed by now, and then nobody waits for it.
	_ = c.from.SetReadDeadline(time.Now().Add(restWait))
}

// interrupt ends what reads from the child or writes to it. The child is of no
// use any more.
func (c *child) interrupt() {
	c.interrupted.Store(true)
	now := time.Now()
	// What is closed by now keeps nobody waiting.
	_ = c.from.SetReadDeadline(now)
	_ = c.to.SetWriteDeadline(now)
}

// greet receives the first frame.
func (c *child) greet() error {
	timer := time.AfterFunc(startWait, c.interrupt)
	defer timer.Stop()
	f, err := c.wire.receive()
	switch {
	case err != nil:
		return fmt.Errorf("the program did not get as far as to serve: %s", c.autopsy(err).text)
	case f.Hello == nil:
		c.kill()
		return errors.New("the program did not say what it is: expected that in its first frame, found another one")
	case f.Hello.Protocol != protocol:
		c.kill()
		return fmt.Errorf("the program speaks another version of the protocol: expected %d, found %d: build it anew", protocol, f.Hello.Protocol)
	}
	c.programs = f.Hello.Programs
	return nil
}

// childEnv adds what a child needs: Options.Seed takes effect, and bubbles work
// whatever version of Go the module names. As in vmreplay itself, garbage is
// collected rarely, since a run leaves nothing behind, and there is one thread, as
// there is one run at a time. The user's own settings win.
func childEnv(env []string) []string {
	debug, own := "randseednop=0,asynctimerchan=0", []string{"GOGC=400", "GOMAXPROCS=1"}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if name == "GODEBUG" && value != "" {
			debug = value + "," + debug
		}
		own = slices.DeleteFunc(own, func(set string) bool { return strings.HasPrefix(set, name+"=") && value != "" })
	}
	return slices.Concat(env, own, []string{"GODEBUG=" + debug, envChild + "=1"})
}

// A death is the end of a child.
type death struct {
	text string
	// own says that the program ended by itself: with a panic, or an exit code.
	own bool
}

// autopsy waits for the end of a child that serves no more, and says how it ended;
// err is what the pipe said. One that lives on is made to print what its
// goroutines do.
func (c *child) autopsy(err error) death {
	c.to.Close()
	defer c.from.Close()
	own := c.endsBy(err)
	d := death{text: c.how(own), own: own}
	var exit *exec.ExitError
	if own && errors.As(c.end, &exit) {
		d.own = exit.Exited() // and no signal from outside
	}
	if why := explain(err, own); why != "" {
		d.text = why + ": " + d.text
		d.own = d.own && isSilence(err)
	}
	if words := c.output.lastWords(); words != "" {
		d.text += "\n" + words
	}
	return d
}

// how says how the process ended.
func (c *child) how(own bool) string {
	switch {
	case !own:
		return "it did not end and was killed"
	case errors.Is(c.end, exec.ErrWaitDelay):
		return "exit status 0, and a program that it started lives on"
	case c.end == nil:
		return "exit status 0"
	}
	return c.end.Error()
}

// endsBy gives a child time to end, then makes it end. It reports whether the
// child ended by itself.
func (c *child) endsBy(err error) (own bool) {
	patience := endWait
	if err != nil && !isClosed(err) {
		patience = 0 // it was waited for, or will not end because of that
	}
	if c.endsWithin(patience) {
		return true
	}
	// It may have ended in this moment; then the wait sees it.
	_ = c.cmd.Process.Signal(syscall.SIGQUIT)
	if !c.endsWithin(quitWait) {
		_ = c.cmd.Process.Kill()
		<-c.ended
	}
	return false
}

func (c *child) endsWithin(d time.Duration) bool {
	select {
	case <-c.ended:
		return true
	default:
	}
	select {
	case <-c.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// close lets a child that serves no run end.
func (c *child) close() { c.autopsy(nil) }

// kill ends a child at once.
func (c *child) kill() {
	// It may have ended by itself.
	_ = c.cmd.Process.Kill()
	c.autopsy(nil)
}

// isClosed tells the errors of a pipe whose other end is gone.
func isClosed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE)
}

// isSilence tells the errors of a pipe whose other end is gone, or says nothing.
func isSilence(err error) bool { return isClosed(err) || errors.Is(err, os.ErrDeadlineExceeded) }

// explain is what an error of the pipe tells beyond the end of the child.
func explain(err error, own bool) string {
	var short *shortFrame
	switch {
	case errors.As(err, &short):
		return short.Error()
	case err == nil || isClosed(err):
		return ""
	case !errors.Is(err, os.ErrDeadlineExceeded):
		return err.Error()
	case own:
		return "" // it has ended, and another program keeps the pipe open
	}
	return "it did not answer"
}
