package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

const ms = time.Millisecond

func newEngine(mod func(*engine.Config)) (*engine.Engine, *server) {
	s := &server{}
	cfg := engine.Config{Server: s, End: time.Minute}
	if mod != nil {
		mod(&cfg)
	}
	return engine.New(cfg), s
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

func TestRequestsAreAnsweredOneAtATime(t *testing.T) {
	e, _ := newEngine(nil)
	log := drive(e, map[time.Duration][]lockstep.Arrival{
		0:      {request(1, "a", "/Pod/x"), request(2, "a", "/Pod/absent"), request(3, "b", "/Pod/x")},
		5 * ms: {request(4, "a", "/Pod/x")},
	}, time.Minute)
	want(t, "actions", log, []string{"1ms respond 1 /Pod/x", "1ms respond 2 ", "1ms respond 3 /Pod/x", "6ms respond 4 /Pod/x"})
	want(t, "steps", steps(e), []string{
		"1ms a: get Pod x #1: 200",
		"1ms a: get Pod absent #1: 404 NotFound",
		"1ms b: get Pod x #1: 200",
		"6ms a: get Pod x #2: 200",
	})
	if end := e.Trace().End; end != time.Minute {
		t.Errorf("the run ended at %v, want 1m", end)
	}
}

// Between two quiet points at most one client is woken, however much is due.
func TestOneGrantAQuietPoint(t *testing.T) {
	e, s := newEngine(nil)
	e.Quiesced(0, []lockstep.Arrival{request(1, "a", "/Pod/watch"), request(2, "b", "/Pod/x"), request(3, "c", "/Pod/y")})
	for i, want := range []lockstep.ActionKind{lockstep.Open, lockstep.Respond, lockstep.Respond} {
		turn := e.Quiesced(ms, nil)
		if len(turn.Actions) != 1 || turn.Actions[0].Kind != want {
			t.Fatalf("turn %d has the actions %v, want one %s", i+1, turn.Actions, want)
		}
	}
	s.watches[0].sink(pod("d/a", 1))
	s.watches[0].sink(pod("d/b", 2))
	for i := range 2 {
		if turn := e.Quiesced(3*ms, nil); len(turn.Actions) != 1 {
			t.Fatalf("delivery %d comes with the actions %v, want one", i+1, turn.Actions)
		}
	}
}

// Everything that the hash is said to cover changes it.
func TestHashCovers(t *testing.T) {
	hash := func(at time.Duration, p engine.Point, out engine.Outcome) uint64 {
		e, _ := newEngine(nil)
		e.After(p, at, func() engine.Outcome { return out })
		e.Advance(time.Minute)
		return e.Trace().Hash
	}
	p, out := engine.Point{Process: "a", Verb: "get", Kind: "Pod", Object: "d/x", Detail: "status"}, engine.Outcome{Text: "200", Version: 7}
	base := hash(ms, p, out)
	if base != hash(ms, p, out) {
		t.Fatal("the same step gives another hash")
	}
	changed := func(f func(*engine.Point)) engine.Point { q := p; f(&q); return q }
	for name, other := range map[string]uint64{
		"time":            hash(2*ms, p, out),
		"outcome":         hash(ms, p, engine.Outcome{Text: "404", Version: 7}),
		"resourceVersion": hash(ms, p, engine.Outcome{Text: "200", Version: 8}),
		"process":         hash(ms, changed(func(p *engine.Point) { p.Process = "b" }), out),
		"verb":            hash(ms, changed(func(p *engine.Point) { p.Verb = "list" }), out),
		"kind":            hash(ms, changed(func(p *engine.Point) { p.Kind = "Node" }), out),
		"object":          hash(ms, changed(func(p *engine.Point) { p.Object = "d/y" }), out),
		"detail":          hash(ms, changed(func(p *engine.Point) { p.Detail = "" }), out),
		"where one ends":  hash(ms, changed(func(p *engine.Point) { p.Process, p.Verb = "ag", "et" }), out),
	} {
		if other == base {
			t.Errorf("another %s gives the same hash", name)
		}
	}
}

// The timeline may do one thing as often as it likes: it ends by itself.
func TestTheUserIsNoHotLoop(t *testing.T) {
	e, _ := newEngine(func(c *engine.Config) { c.Limits.PerKey = 5 })
	for range 50 {
		e.After(engine.Point{Process: engine.User, Verb: "cordon", Kind: "Node", Object: "n"}, ms, func() engine.Outcome { return engine.Outcome{} })
	}
	e.Advance(time.Second)
	if stop := e.Stopped(); stop.Cause != "" || len(e.Trace().Steps) != 50 {
		t.Errorf("stopped by %q after %d steps, want all 50", stop.Cause, len(e.Trace().Steps))
	}
}

func TestWatchDeliversInOrderEachWithItsLatency(t *testing.T) {
	e, s := newEngine(nil)
	e.After(engine.Point{Process: "user", Verb: engine.VerbDo, Detail: "push"}, 10*ms, func() engine.Outcome {
		for i, name := range []string{"d/a", "d/b", "d/a"} {
			s.watches[0].sink(pod(name, uint64(i+1)))
		}
		return engine.Outcome{Text: "ok"}
	})
	log := drive(e, map[time.Duration][]lockstep.Arrival{0: {request(1, "c", "/Pod/watch")}}, time.Minute)
	want(t, "actions", log, []string{"1ms open 1 ", "12ms send 1 d/a", "12ms send 1 d/b", "12ms send 1 d/a"})
	want(t, "steps", steps(e), []string{
		"1ms c: watch Pod #1: 200",
		"10ms user: do push #1: ok",
		"12ms c: deliver Pod d/a ADDED #1: delivered",
		"12ms c: deliver Pod d/b ADDED #1: delivered",
		"12ms c: deliver Pod d/a ADDED #2: delivered",
	})
}

func TestCalls(t *testing.T) {
	e, _ := newEngine(func(c *engine.Config) {
		c.Local = func(_, op string) bool { return op == "list" }
		c.Call = func(_, system, op string, args []string) ([]byte, error) {
			if op == "bad" {
				return nil, errors.New("no such port")
			}
			return []byte(system + op + args[0]), nil
		}
	})
	log := drive(e, map[time.Duration][]lockstep.Arrival{0: {
		{Kind: lockstep.Call, ID: 1, Process: "p", System: "nb", Op: "list", Args: []string{"x"}},
		{Kind: lockstep.Call, ID: 2, Process: "p", System: "nb", Op: "bad", Args: []string{"x"}},
	}}, time.Minute)
	want(t, "actions", log, []string{"0s respond 1 nblistx", "1ms respond 2 no such port"})
	want(t, "steps", steps(e), []string{"0s p: call nb x list #1: ok", "1ms p: call nb x bad #1: no such port"})
}

func TestLimits(t *testing.T) {
	spin := func(limits engine.Limits, every time.Duration) engine.Stop {
		e, _ := newEngine(func(c *engine.Config) { c.Limits, c.End = limits, time.Hour })
		var again func() engine.Outcome
		again = func() engine.Outcome {
			e.After(engine.Point{Process: "kubelet", Verb: "update", Kind: "Pod", Object: "d/x"}, every, again)
			return engine.Outcome{Text: "200"}
		}
		again()
		e.Advance(time.Hour)
		return e.Stopped()
	}
	tests := []struct {
		name   string
		limits engine.Limits
		every  time.Duration
		cause  string
		n      int
	}{
		{"too many steps in all", engine.Limits{Steps: 50, PerKey: 1000}, time.Second, engine.StopBudget, 51},
		{"one key too often", engine.Limits{PerKey: 20}, ms, engine.StopHotLoop, 21},
		{"often, but within the limit", engine.Limits{PerKey: 1000}, time.Second, "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stop := spin(test.limits, test.every)
			if stop.Cause != test.cause || stop.Point.N != test.n {
				t.Errorf("stopped by %q at %s, want %q at #%d", stop.Cause, stop.Point, test.cause, test.n)
			}
		})
	}
}

// A process that takes one key again and again, and reads nothing but caches, is
// stopped; one that asks for something is left to the limit of requests.
func TestSilentLoop(t *testing.T) {
	for _, test := range []struct {
		name string
		verb string // of what the process does in between
		want string
	}{
		{"nothing", "", "c: take q d/x #0"},
		{"a delivery", engine.VerbDeliver, "c: take q d/x #0"},
		{"its start", engine.VerbStart, "c: take q d/x #0"},
		{"a request", "get", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, _ := newEngine(func(c *engine.Config) { c.Limits = engine.Limits{PerKey: 20} })
			if test.verb != "" {
				e.After(engine.Point{Process: "c", Verb: test.verb, Kind: "Pod", Object: "d/x"}, 0, func() engine.Outcome { return engine.Outcome{Text: "200"} })
			}
			e.Advance(ms)
			for range 21 {
				e.Note(engine.Note{Process: "c", Source: "q", Op: engine.QueueGet, Key: "d/x"})
			}
			got := ""
			if stop := e.Stopped(); stop.Cause == engine.StopHotLoop {
				got = stop.Point.String()
			}
			if got != test.want {
				t.Errorf("stopped at %q, want %q", got, test.want)
			}
		})
	}
}

func TestStopForgetsTheProcess(t *testing.T) {
	e, s := newEngine(nil)
	e.After(engine.Point{Process: "user", Verb: engine.VerbStop, Detail: "a"}, 3*ms, func() engine.Outcome {
		e.StopProcess("a")
		return engine.Outcome{Text: "ok"}
	})
	log := drive(e, map[time.Duration][]lockstep.Arrival{
		0:      {request(1, "a", "/Pod/watch"), request(2, "b", "/Pod/watch")},
		2500e3: {request(3, "a", "/Pod/x"), request(4, "b", "/Pod/x")},
	}, time.Minute)
	want(t, "actions", log, []string{"1ms open 1 ", "1ms open 2 ", "3ms stop 0 a", "3.5ms respond 4 /Pod/x"})
	if !s.watches[0].closed || s.watches[1].closed {
		t.Error("only the watch of the stopped process must be closed")
	}
}

func TestCancelTakesTheRequestBack(t *testing.T) {
	e, s := newEngine(nil)
	drive(e, map[time.Duration][]lockstep.Arrival{
		0:     {request(1, "a", "/Pod/x")},
		500e3: {{Kind: lockstep.Cancel, ID: 1, Process: "a"}},
	}, time.Minute)
	if s.served != 0 {
		t.Errorf("the server answered %d requests, want none", s.served)
	}
}

func TestPanicEndsTheRun(t *testing.T) {
	e, _ := newEngine(nil)
	drive(e, map[time.Duration][]lockstep.Arrival{
		time.Second: {{Kind: lockstep.Panic, Process: "a", Text: "boom"}},
	}, time.Minute)
	want(t, "stop", e.Stopped(), engine.Stop{Cause: engine.StopPanic, Point: engine.Point{Process: "a"}, Text: "boom"})
	if end := e.Trace().End; end != time.Second {
		t.Errorf("the run ended at %v, want 1s", end)
	}
}

func TestNotesKnowTheStepBefore(t *testing.T) {
	e, _ := newEngine(nil)
	drive(e, map[time.Duration][]lockstep.Arrival{
		0:      {request(1, "a", "/Pod/x")},
		5 * ms: {{Kind: lockstep.Note, Process: "a", Source: "q", Op: engine.QueueAdd, Key: "d/x"}},
	}, time.Minute)
	want(t, "notes", e.Trace().Notes, []engine.Note{{At: 5 * ms, Process: "a", Source: "q", Op: engine.QueueAdd, Key: "d/x", After: 1}})
}
