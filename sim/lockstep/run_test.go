package lockstep_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// script is a minimal engine: it starts its processes, answers one exchange a
// turn in the order of arrival, and keeps a log.
type script struct {
	start   []string
	end     time.Duration
	log     []string
	parked  []lockstep.Arrival
	respond func(lockstep.Arrival) []lockstep.Action
	started bool
}

func (s *script) Quiesced(now time.Duration, arrivals []lockstep.Arrival) lockstep.Turn {
	turn := lockstep.Turn{Until: s.end}
	for _, a := range arrivals {
		line := fmt.Sprintf("%v %s %s %d", now, a.Process, a.Kind, a.ID)
		switch a.Kind {
		case lockstep.Request:
			line += " " + a.Method + " " + a.Path + string(a.Body)
		case lockstep.Call:
			line += " " + a.System + " " + a.Op + " " + strings.Join(a.Args, ",")
		case lockstep.Panic:
			line += " " + strings.SplitN(a.Text, "\n", 2)[0]
		default:
			line += " " + a.Source + a.Op + a.Key + a.Text
		}
		s.log = append(s.log, strings.TrimSpace(line))
		if a.Kind == lockstep.Request || a.Kind == lockstep.Call {
			s.parked = append(s.parked, a)
		}
	}
	if !s.started {
		s.started = true
		for _, p := range s.start {
			turn.Actions = append(turn.Actions, lockstep.Action{Kind: lockstep.Start, Process: p})
		}
		return turn
	}
	if len(s.parked) > 0 {
		turn.Actions = s.respond(s.parked[0])
		s.parked = s.parked[1:]
		return turn
	}
	turn.Done = now >= s.end
	return turn
}

func ok(a lockstep.Arrival) []lockstep.Action {
	return []lockstep.Action{{Kind: lockstep.Respond, ID: a.ID, Status: 200, Body: []byte(a.Path)}}
}

func run(t *testing.T, s *script, o lockstep.Options) lockstep.Report {
	t.Helper()
	o.Horizon = s.end
	return lockstep.Run(t, func(time.Time) lockstep.Engine { return s }, o)
}

func get(ctx context.Context, env *lockstep.Env, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://cluster"+path, nil)
	if err != nil {
		return "", err
	}
	resp, err := env.Transport().RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// Requests that arrive at the same instant are numbered by name, whatever the
// order in which their goroutines ran.
func TestArrivalsAreSortedThenNumbered(t *testing.T) {
	burst := func(ctx context.Context, env *lockstep.Env) error {
		var wg sync.WaitGroup
		for _, i := range []int{7, 3, 9, 1, 5} {
			wg.Go(func() { _, _ = get(ctx, env, fmt.Sprintf("/%s/%d", env.Process(), i)) })
		}
		wg.Wait()
		<-ctx.Done()
		return nil
	}
	once := func() []string {
		s := &script{start: []string{"b", "a"}, end: time.Second, respond: ok}
		rep := run(t, s, lockstep.Options{Programs: map[string]lockstep.Program{"a": burst, "b": burst}})
		if rep.Hung != "" || len(rep.Leaks) > 0 {
			t.Fatalf("run ended badly: %+v", rep)
		}
		return s.log
	}
	first := once()
	if want := "0s a request 1 GET /a/1"; first[0] != want {
		t.Errorf("first arrival is %q, want %q", first[0], want)
	}
	if !slices.ContainsFunc(first, func(l string) bool { return l == "0s b request 10 GET /b/9" }) {
		t.Errorf("no tenth request of b in\n%s", strings.Join(first, "\n"))
	}
	for range 20 {
		if diff := cmp.Diff(first, once()); diff != "" {
			t.Fatalf("a second run differs (-first +second):\n%s", diff)
		}
	}
}

func TestCallsAndNotes(t *testing.T) {
	s := &script{start: []string{"p"}, end: time.Minute, respond: func(a lockstep.Arrival) []lockstep.Action {
		if a.Op == "bad" {
			return []lockstep.Action{{Kind: lockstep.Respond, ID: a.ID, Error: "no such port"}}
		}
		return []lockstep.Action{{Kind: lockstep.Respond, ID: a.ID, Body: []byte("yes")}}
	}}
	var answer string
	var failure error
	rep := run(t, s, lockstep.Options{Programs: map[string]lockstep.Program{"p": func(ctx context.Context, env *lockstep.Env) error {
		b, err := env.Call(ctx, "ovn-nb", "list", "x")
		if err != nil {
			return err
		}
		answer = string(b)
		time.Sleep(30 * time.Second)
		env.Note("queue", "add", "key", "")
		_, failure = env.Call(ctx, "ovn-nb", "bad")
		return nil
	}}})
	if rep.Hung != "" || len(rep.Leaks) > 0 {
		t.Fatalf("run ended badly: %+v", rep)
	}
	if answer != "yes" || failure == nil || failure.Error() != "no such port" {
		t.Errorf("got answer %q and failure %v", answer, failure)
	}
	want := []string{
		"0s p call 1 ovn-nb list x",
		"30s p note 0 queueaddkey",
		"30s p call 2 ovn-nb bad",
		"30s p exit 0",
	}
	if diff := cmp.Diff(want, s.log); diff != "" {
		t.Errorf("log differs (-want +got):\n%s", diff)
	}
}

func TestStreamIsReadAsItIsSent(t *testing.T) {
	sent := false
	var got strings.Builder
	s := &script{start: []string{"p"}, end: time.Second}
	s.respond = func(a lockstep.Arrival) []lockstep.Action {
		if !sent {
			sent = true
			s.parked = append(s.parked, a, a, a)
			return []lockstep.Action{{Kind: lockstep.Open, ID: a.ID, Status: 200}}
		}
		if len(s.parked) == 1 {
			return []lockstep.Action{{Kind: lockstep.End, ID: a.ID}}
		}
		return []lockstep.Action{{Kind: lockstep.Send, ID: a.ID, Body: fmt.Appendf(nil, "%d;", len(s.parked))}}
	}
	rep := run(t, s, lockstep.Options{Programs: map[string]lockstep.Program{"p": func(ctx context.Context, env *lockstep.Env) error {
		body, err := get(ctx, env, "/watch")
		got.WriteString(body)
		return err
	}}})
	if rep.Hung != "" || len(rep.Leaks) > 0 {
		t.Fatalf("run ended badly: %+v", rep)
	}
	if got.String() != "3;2;" {
		t.Errorf("body is %q, want %q", got.String(), "3;2;")
	}
}

// A stopped process sees all its connections break at once, and its later
// arrivals never reach the engine.
func TestStopBreaksConnections(t *testing.T) {
	var failure error
	s := &script{start: []string{"p"}, end: time.Minute}
	s.respond = func(a lockstep.Arrival) []lockstep.Action {
		return []lockstep.Action{{Kind: lockstep.Stop, Process: "p"}}
	}
	rep := run(t, s, lockstep.Options{Programs: map[string]lockstep.Program{"p": func(ctx context.Context, env *lockstep.Env) error {
		_, failure = get(context.WithoutCancel(ctx), env, "/one")
		_, again := get(context.WithoutCancel(ctx), env, "/two")
		return again
	}}})
	if rep.Hung != "" || len(rep.Leaks) > 0 {
		t.Fatalf("run ended badly: %+v", rep)
	}
	if failure == nil {
		t.Error("the parked request did not fail")
	}
	if want := []string{"0s p request 1 GET /one"}; !cmp.Equal(want, s.log) {
		t.Errorf("log is %q, want %q", s.log, want)
	}
}

func TestClientThatGivesUpIsReported(t *testing.T) {
	s := &script{start: []string{"p"}, end: time.Minute}
	s.respond = func(lockstep.Arrival) []lockstep.Action { return nil }
	rep := run(t, s, lockstep.Options{Programs: map[string]lockstep.Program{"p": func(ctx context.Context, env *lockstep.Env) error {
		short, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		_, err := get(short, env, "/slow")
		return err
	}}})
	if rep.Hung != "" || len(rep.Leaks) > 0 {
		t.Fatalf("run ended badly: %+v", rep)
	}
	want := []string{"0s p request 1 GET /slow", "10s p cancel 1", "10s p exit 0 context deadline exceeded"}
	slices.Sort(s.log)
	slices.Sort(want)
	if diff := cmp.Diff(want, s.log); diff != "" {
		t.Errorf("log differs (-want +got):\n%s", diff)
	}
}

// Time must not seem to go backwards from one run to the next.
func TestStartGrowsFromRunToRun(t *testing.T) {
	var last time.Time
	for range 3 {
		s := &script{start: []string{"p"}, end: time.Hour}
		lockstep.Run(t, func(start time.Time) lockstep.Engine {
			if !start.After(last.Add(time.Hour)) && !last.IsZero() {
				t.Errorf("run starts at %v, the one before started at %v and took an hour", start, last)
			}
			last = start
			return s
		}, lockstep.Options{Horizon: s.end, Programs: map[string]lockstep.Program{"p": func(ctx context.Context, _ *lockstep.Env) error {
			if !time.Now().Equal(last) {
				t.Errorf("the process' clock shows %v, want %v", time.Now(), last)
			}
			return nil
		}}})
	}
}
