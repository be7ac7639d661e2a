package lockstep_test

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

var outside = make(chan struct{})

// Every way in which a process can misbehave ends its own run with a reason,
// and the next run is as good as new.
func TestMisbehaviour(t *testing.T) {
	tests := []struct {
		name    string
		program lockstep.Program
		hung    []string // all of these in Report.Hung
		leak    []string // all of these in Report.Leaks
		logged  string   // in the engine's log
	}{
		{
			name:    "panics",
			program: func(context.Context, *lockstep.Env) error { panic("boom") },
			logged:  "0s p panic 0 boom",
		},
		{
			name: "waits for a channel from outside",
			program: func(context.Context, *lockstep.Env) error {
				<-outside
				return nil
			},
			hung: []string{"TestMisbehaviour", "a channel that was made outside of the bubble"},
		},
		{
			name: "sleeps with a lock that another wants",
			program: func(ctx context.Context, _ *lockstep.Env) error {
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
			hung: []string{"waits for a lock (sync.Mutex.Lock) whose holder sleeps or waits at the gate", "TestMisbehaviour.func3 sleeps and may be the holder"},
		},
		{
			name: "waits at the gate with a lock that another wants",
			program: func(ctx context.Context, env *lockstep.Env) error {
				var mu sync.Mutex
				mu.Lock()
				go func() {
					mu.Lock()
					defer mu.Unlock()
				}()
				_, err := get(ctx, env, "/x")
				mu.Unlock()
				return err
			},
			hung: []string{"waits for a lock (sync.Mutex.Lock)", "lockstep_test.get waits at the gate and may be the holder"},
		},
		{
			name: "never waits",
			program: func(context.Context, *lockstep.Env) error {
				for end := outsideClock(); ; {
					select {
					case <-end:
						return nil
					default:
					}
				}
			},
			hung: []string{"runs and never waits"},
		},
		{
			name: "does not return",
			program: func(context.Context, *lockstep.Env) error {
				select {}
			},
			leak: []string{"process p did not return within 11s after it was stopped", "process p left a goroutine"},
		},
		{
			name: "leaves a goroutine",
			program: func(context.Context, *lockstep.Env) error {
				go func() { select {} }()
				return nil
			},
			leak: []string{"process p left a goroutine", "TestMisbehaviour"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &script{start: []string{"p"}, end: time.Minute, respond: ok}
			rep := run(t, s, lockstep.Options{
				Stuck:    time.Second,
				Programs: map[string]lockstep.Program{"p": test.program},
			})
			wantAll(t, "hung", rep.Hung, test.hung)
			wantAll(t, "leaks", strings.Join(rep.Leaks, "\n"), test.leak)
			if test.logged != "" && (len(s.log) == 0 || s.log[0] != test.logged) {
				t.Errorf("log is %q, want it to start with %q", s.log, test.logged)
			}
		})
	}
	t.Run("the next run is as good as new", func(t *testing.T) {
		s := &script{start: []string{"p"}, end: time.Minute, respond: ok}
		rep := run(t, s, lockstep.Options{Programs: map[string]lockstep.Program{"p": func(ctx context.Context, env *lockstep.Env) error {
			_, err := get(ctx, env, "/x")
			return err
		}}})
		if rep.Hung != "" || len(rep.Leaks) != 0 {
			t.Errorf("run ended badly: %+v", rep)
		}
	})
}

// outsideClock lets the spinning program end some time after its run was given
// up, so that it does not burn a core for the rest of the tests.
var outsideClock = sync.OnceValue(func() <-chan struct{} { return spun })

var spun = make(chan struct{})

func TestMain(m *testing.M) {
	time.AfterFunc(8*time.Second, func() { close(spun) })
	m.Run()
}

func wantAll(t *testing.T, what, got string, want []string) {
	t.Helper()
	if len(want) == 0 && got != "" {
		t.Errorf("%s: got %q, want nothing", what, got)
	}
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s: %q is not in\n%s", what, w, got)
		}
	}
}

// The package is compiled into other people's modules: it may need nothing but
// the standard library.
func TestImportsOnlyTheStandardLibrary(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(string(out)); len(got) != 1 || !strings.HasSuffix(got[0], "/sim/lockstep") {
		t.Errorf("dependencies outside of the standard library: %q", got)
	}
}
