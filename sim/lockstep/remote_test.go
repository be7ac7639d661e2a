package lockstep_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// envProgram tells the child which of the programs below is its process p.
const envProgram = "TEST_PROGRAM"

// burst makes many requests at once.
func burst(ctx context.Context, env *lockstep.Env) error {
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			// What is answered is of no interest here.
			_, _ = get(ctx, env, fmt.Sprintf("/%d", i))
		})
	}
	wg.Wait()
	return nil
}

// neverMade is a channel from outside of all bubbles.
var neverMade = make(chan struct{})

// first is what a library keeps whose logger can be set only once.
var first atomic.Pointer[lockstep.Env]

// runs is a variable of the package, which a process keeps from run to run.
var runs atomic.Int64

var inChild = map[string]lockstep.Program{
	"bursts": burst,
	"panics": func(context.Context, *lockstep.Env) error { panic("boom") },
	"panics in a goroutine": func(context.Context, *lockstep.Env) error {
		go panic("boom elsewhere")
		time.Sleep(time.Second)
		return nil
	},
	"exits": func(context.Context, *lockstep.Env) error {
		time.Sleep(3 * time.Second)
		os.Exit(7)
		return nil
	},
	"speaks and exits": func(_ context.Context, env *lockstep.Env) error {
		time.Sleep(time.Second)
		env.Note("log", "info", "", "last words")
		time.Sleep(time.Minute)
		os.Exit(7)
		return nil
	},
	"is killed": func(context.Context, *lockstep.Env) error {
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	},
	"sleeps with a lock": func(context.Context, *lockstep.Env) error {
		var mu sync.Mutex
		mu.Lock()
		go func() {
			mu.Lock()
			defer mu.Unlock()
		}()
		time.Sleep(time.Second)
		mu.Unlock()
		return nil
	},
	"waits for the world outside": func(context.Context, *lockstep.Env) error {
		<-neverMade
		return nil
	},
	"reads a socket": func(context.Context, *lockstep.Env) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		_, err = l.Accept()
		return err
	},
	"reads through net/http": func(context.Context, *lockstep.Env) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		_, err = http.Get("http://" + l.Addr().String()) // the kernel connects it, and nobody answers
		return err
	},
	"runs a program": func(context.Context, *lockstep.Env) error {
		return exec.Command("sleep", "30").Run()
	},
	"locks twice": func(context.Context, *lockstep.Env) error {
		var mu sync.Mutex
		mu.Lock()
		mu.Lock()
		return nil
	},
	"sleeps for microseconds": func(ctx context.Context, _ *lockstep.Env) error {
		for ctx.Err() == nil {
			time.Sleep(time.Microsecond)
		}
		return nil
	},
	"remembers": func(ctx context.Context, env *lockstep.Env) error {
		env.Note("log", "info", "", fmt.Sprint("run ", runs.Add(1)))
		<-ctx.Done()
		return nil
	},
	"leaks": func(context.Context, *lockstep.Env) error {
		go func() { select {} }()
		return nil
	},
	"notes in the name of the first run": func(ctx context.Context, env *lockstep.Env) error {
		first.CompareAndSwap(nil, env)
		first.Load().Note("log", "info", "", "hello")
		<-ctx.Done()
		return nil
	},
	"exits without a word": func(context.Context, *lockstep.Env) error {
		syscall.Exit(0)
		return nil
	},
	"writes to the pipe": func(context.Context, *lockstep.Env) error {
		writeToParent("good morning, this is no frame")
		return nil
	},
	"closes the pipe": func(context.Context, *lockstep.Env) error {
		return syscall.Close(4)
	},
	"closes standard output": func(ctx context.Context, _ *lockstep.Env) error {
		os.Stdout.Close()
		os.Stderr.Close()
		<-ctx.Done()
		return nil
	},
	"leaves a program behind and exits": func(context.Context, *lockstep.Env) error {
		leaveBehind(os.Stdin, os.Stdout, os.Stderr)
		syscall.Exit(5)
		return nil
	},
	"leaves a program with the pipe behind and exits": func(context.Context, *lockstep.Env) error {
		leaveBehind(os.Stdin, os.Stdout, os.Stderr, os.NewFile(3, ""), os.NewFile(4, ""))
		syscall.Exit(5)
		return nil
	},
}

// writeToParent writes into the pipe that belongs to lockstep.
func writeToParent(text string) {
	if _, err := syscall.Write(4, []byte(text)); err != nil {
		panic(err)
	}
}

// leaveBehind starts a program that has the files, and outlives the test's patience.
func leaveBehind(files ...*os.File) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		panic(err)
	}
	if _, err := os.StartProcess(sleep, []string{"sleep", "30"}, &os.ProcAttr{Files: files}); err != nil {
		panic(err)
	}
}

// TestServe is the child of the tests below: this test binary, started again. By
// itself it is no test.
func TestServe(t *testing.T) {
	if os.Getenv(envProgram) == "" {
		return
	}
	lockstep.Serve(t, map[string]lockstep.Program{"p": inChild[os.Getenv(envProgram)]})
}

// remote counts the children that it starts.
func remote(t *testing.T, program string) (r *lockstep.Remote, started *int) {
	started = new(int)
	r = &lockstep.Remote{Command: func() *exec.Cmd {
		*started++
		c := exec.Command(os.Args[0], "-test.run=^TestServe$")
		c.Env = append(os.Environ(), envProgram+"="+program)
		return c
	}}
	t.Cleanup(r.Close)
	return r, started
}

// play makes one run in a child.
func play(r *lockstep.Remote, s *script) lockstep.Report {
	return r.Run(func(time.Time) lockstep.Engine { return s }, lockstep.Options{Horizon: s.end, Stuck: 300 * time.Millisecond})
}

func minute() *script { return &script{start: []string{"p"}, end: time.Minute, respond: ok} }

func TestChildMakesManyRuns(t *testing.T) {
	in := minute()
	run(t, in, lockstep.Options{Programs: map[string]lockstep.Program{"p": burst}})
	r, started := remote(t, "bursts")
	var last time.Time
	for range 20 {
		s := minute()
		rep := r.Run(func(start time.Time) lockstep.Engine {
			if !last.IsZero() && start.Before(last.Add(time.Minute)) {
				t.Errorf("run starts at %v, the one before started at %v and took a minute", start, last)
			}
			last = start
			return s
		}, lockstep.Options{Horizon: s.end})
		if !rep.Clean() {
			t.Fatalf("run ended badly: %+v", rep)
		}
		if diff := cmp.Diff(in.log, s.log); diff != "" {
			t.Fatalf("the runs differ (-in process +child):\n%s", diff)
		}
	}
	if *started != 1 {
		t.Errorf("%d children were started, want 1", *started)
	}
}

func TestIsolatedRunsHaveChildrenOfTheirOwn(t *testing.T) {
	r, started := remote(t, "bursts")
	r.Isolate = true
	for range 3 {
		if rep := play(r, minute()); !rep.Clean() {
			t.Fatalf("run ended badly: %+v", rep)
		}
	}
	if *started != 3 {
		t.Errorf("%d children were started, want 3", *started)
	}
}

func TestRunsSideBySideInChildren(t *testing.T) {
	r, _ := remote(t, "bursts")
	want := minute()
	play(r, want)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := minute()
			if rep := play(r, s); !rep.Clean() || !slices.Equal(s.log, want.log) {
				t.Errorf("report %+v, log %q, want %q", rep, s.log, want.log)
			}
		})
	}
	wg.Wait()
}

// A run alone has a process of its own: nothing of other runs reaches it, and it
// leaves nothing to them.
func TestRunAlone(t *testing.T) {
	r, started := remote(t, "remembers")
	told := func(run func(func(time.Time) lockstep.Engine, lockstep.Options) lockstep.Report, want string) {
		t.Helper()
		s := minute()
		if rep := run(func(time.Time) lockstep.Engine { return s }, lockstep.Options{Horizon: s.end}); !rep.Clean() {
			t.Errorf("the report is %+v", rep)
		}
		if !strings.Contains(strings.Join(s.log, "\n"), want) {
			t.Errorf("log is %q, want %q in it", s.log, want)
		}
	}
	told(r.Run, "run 1")
	told(r.RunAlone, "run 1")
	told(r.Run, "run 2")
	if *started != 2 {
		t.Errorf("%d children were started, want 2", *started)
	}
}

// However a child ends a run, the run has a reason, and the next one a child.
func TestChildrenThatMisbehave(t *testing.T) {
	tests := []struct {
		program  string
		hung     []string
		leak     []string
		logged   string // the last line of the engine's log
		children int    // for two runs
	}{
		{program: "panics", logged: "0s p panic 0 boom", children: 1},
		{program: "panics in a goroutine", logged: "0s p panic 0 the process ended: exit status 2", children: 2},
		{program: "exits", logged: "0s p panic 0 the process ended: exit status 7", children: 2},
		{program: "is killed", hung: []string{"the controller's process ended", "killed"}, children: 2},
		{program: "sleeps with a lock", hung: []string{"waits for a lock (sync.Mutex.Lock) whose holder sleeps"}, children: 2},
		{program: "waits for the world outside", hung: []string{"a channel that was made outside of the bubble"}, children: 2},
		{program: "reads a socket", hung: []string{"waits for the network or a file"}, children: 2},
		{program: "reads through net/http", hung: []string{"a goroutine waits for the network", "lockstep_test.init.func", " waits for its answer"}, children: 2},
		{program: "runs a program", hung: []string{"lockstep_test.init.func", " waits for the network or a file (syscall)"}, children: 2},
		{program: "locks twice", hung: []string{"waits for a lock (sync.Mutex.Lock): no goroutine is seen that could hold it"}, children: 2},
		{program: "sleeps for microseconds", hung: []string{"of real time: ", "lockstep_test.init.func"}, children: 2},
		{program: "leaks", leak: []string{"process p left a goroutine"}, children: 2},
		{program: "notes in the name of the first run", children: 1},
		{program: "exits without a word", logged: "0s p panic 0 the process ended: exit status 0", children: 2},
		{program: "writes to the pipe", hung: []string{`expected a frame, found "good morning, this is no frame`, "something else writes to the pipe (file descriptor 4)"}, children: 2},
		{program: "closes the pipe", logged: "0s p panic 0 the process ended: exit status 1", children: 2},
		{program: "closes standard output", children: 1},
		{program: "leaves a program behind and exits", logged: "0s p panic 0 the process ended: exit status 5", children: 2},
		{program: "leaves a program with the pipe behind and exits", logged: "0s p panic 0 the process ended: exit status 5", children: 2},
	}
	for _, test := range tests {
		t.Run(test.program, func(t *testing.T) {
			t.Parallel()
			r, started := remote(t, test.program)
			for range 2 {
				s := minute()
				rep := play(r, s)
				wantAll(t, "hung", rep.Hung, test.hung)
				wantAll(t, "leaks", strings.Join(rep.Leaks, "\n"), test.leak)
				if test.logged != "" && !slices.Contains(s.log, test.logged) {
					t.Errorf("log is %q, want %q in it", s.log, test.logged)
				}
			}
			if *started != test.children {
				t.Errorf("%d children were started, want %d", *started, test.children)
			}
		})
	}
}

// The engine is told what a dying process said.
func TestLastWordsOfAChild(t *testing.T) {
	r, _ := remote(t, "panics in a goroutine")
	var text string
	engine := engineFunc(func(_ time.Duration, arrivals []lockstep.Arrival) lockstep.Turn {
		for _, a := range arrivals {
			if a.Kind == lockstep.Panic {
				text = a.Text
			}
		}
		return lockstep.Turn{Actions: []lockstep.Action{{Kind: lockstep.Start, Process: "p"}}}
	})
	r.Run(func(time.Time) lockstep.Engine { return engine }, lockstep.Options{Horizon: time.Minute})
	wantAll(t, "text", text, []string{"panic: boom elsewhere", "remote_test.go"})
}

type engineFunc func(time.Duration, []lockstep.Arrival) lockstep.Turn

func (f engineFunc) Quiesced(now time.Duration, arrivals []lockstep.Arrival) lockstep.Turn {
	return f(now, arrivals)
}

func TestChildrenThatDoNotStart(t *testing.T) {
	tests := []struct {
		name    string
		command []string
		want    string
	}{
		{"no such program", []string{"/nonexistent/program"}, "no such file"},
		{"another program", []string{"sh", "-c", "echo good morning; exit 3"}, "exit status 3\ngood morning"},
		{"a test that serves nothing", []string{os.Args[0], "-test.run=^TestIsolated$"}, "exit status 0"},
		{"a program that writes to the pipe", []string{"sh", "-c", "echo good morning >&4; sleep 1"}, "expected a frame"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := &lockstep.Remote{Command: func() *exec.Cmd { return exec.Command(test.command[0], test.command[1:]...) }}
			_, err := r.Programs()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
			if rep := play(r, minute()); !strings.Contains(rep.Hung, test.want) {
				t.Errorf("report is %+v, want %q in it", rep, test.want)
			}
		})
	}
}

func TestProgramsOfAChild(t *testing.T) {
	r, _ := remote(t, "bursts")
	got, err := r.Programs()
	if diff := cmp.Diff([]string{"p"}, got); err != nil || diff != "" {
		t.Errorf("error %v, programs (-want +got):\n%s", err, diff)
	}
}
