package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

func TestPerturbedRequests(t *testing.T) {
	const second = "a: get Pod x #2"
	tests := []struct {
		name    string
		perturb engine.Perturbation
		actions []string
		served  int
		outcome string // of the second request
	}{
		{
			"delayed", engine.Perturbation{Delay: time.Second},
			[]string{"1ms respond 1 /Pod/x", "1ms respond 3 /Pod/x", "1.001s respond 2 /Pod/x"}, 3, "200",
		},
		{
			"refused", engine.Perturbation{Status: 409},
			[]string{"1ms respond 1 /Pod/x", "1ms respond 2 " + conflict, "1ms respond 3 /Pod/x"}, 2, "409 Conflict",
		},
		{
			"reset", engine.Perturbation{Reset: true},
			[]string{"1ms respond 1 /Pod/x", "1ms fail 2 read: connection reset by peer", "1ms respond 3 /Pod/x"}, 2, "connection reset",
		},
		{
			"applied, the reply lost", engine.Perturbation{Lost: true},
			[]string{"1ms respond 1 /Pod/x", "1ms fail 2 read: connection reset by peer", "1ms respond 3 /Pod/x"}, 3, "connection reset",
		},
		{
			"delayed and reset", engine.Perturbation{Delay: time.Second, Reset: true},
			[]string{"1ms respond 1 /Pod/x", "1ms respond 3 /Pod/x", "1.001s fail 2 read: connection reset by peer"}, 2, "connection reset",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.perturb.Point = second
			e, s := newEngine(func(c *engine.Config) { c.Schedule = []engine.Perturbation{test.perturb} })
			log := drive(e, map[time.Duration][]lockstep.Arrival{
				0: {request(1, "a", "/Pod/x"), request(2, "a", "/Pod/x"), request(3, "a", "/Pod/x")},
			}, time.Minute)
			want(t, "actions", log, test.actions)
			if s.served != test.served {
				t.Errorf("the server answered %d requests, want %d", s.served, test.served)
			}
			if left := e.Unapplied(); len(left) > 0 {
				t.Errorf("not applied: %q", left)
			}
			for _, step := range steps(e) {
				if strings.Contains(step, second) && !strings.HasSuffix(step, second+": "+test.outcome) {
					t.Errorf("step is %q, want the outcome %q", step, test.outcome)
				}
			}
		})
	}
}

const conflict = `{"apiVersion":"v1","code":409,"details":{"kind":"Pod","name":"x"},"kind":"Status","message":"injected: Conflict","metadata":{},"reason":"Conflict","status":"Failure"}`

func TestPerturbedWatch(t *testing.T) {
	tests := []struct {
		name    string
		perturb engine.Perturbation
		want    []string
	}{
		{"delayed", engine.Perturbation{Delay: time.Second}, []string{"12ms send 1 d/a", "1.012s send 1 d/b", "1.012s send 1 d/c"}},
		{"broken", engine.Perturbation{Break: engine.BreakAgain}, []string{"12ms send 1 d/a", "12ms end 1 "}},
		{"broken for good", engine.Perturbation{Break: engine.BreakGone}, []string{"12ms send 1 d/a", "12ms send 1 " + gone, "12ms end 1 "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.perturb.Point = "c: deliver Pod d/b ADDED #1"
			e, s := newEngine(func(c *engine.Config) { c.Schedule = []engine.Perturbation{test.perturb} })
			e.After(engine.Point{Process: "user", Verb: engine.VerbDo}, 10*ms, func() engine.Outcome {
				for i, name := range []string{"d/a", "d/b", "d/c"} {
					s.watches[0].sink(pod(name, uint64(i+1)))
				}
				return engine.Outcome{Text: "ok"}
			})
			log := drive(e, map[time.Duration][]lockstep.Arrival{0: {request(1, "c", "/Pod/watch")}}, time.Minute)
			want(t, "actions", log[1:], test.want)
			if broken := test.perturb.Break != ""; s.watches[0].closed != broken {
				t.Errorf("the server's watch is closed: %v, want %v", s.watches[0].closed, broken)
			}
		})
	}
}

const gone = `{"type":"ERROR","object":{"apiVersion":"v1","code":410,"details":{"kind":"","name":""},"kind":"Status","message":"injected: Gone","metadata":{},"reason":"Expired","status":"Failure"}}` + "\n"

// An ERROR event is the last of its watch.
func TestErrorEndsTheWatch(t *testing.T) {
	e, s := newEngine(nil)
	e.After(engine.Point{Process: "user", Verb: engine.VerbDo}, 10*ms, func() engine.Outcome {
		s.watches[0].sink(engine.Event{Type: engine.Error, Frame: func() []byte { return []byte("too old") }})
		return engine.Outcome{Text: "ok"}
	})
	log := drive(e, map[time.Duration][]lockstep.Arrival{0: {request(1, "c", "/Pod/watch")}}, time.Minute)
	want(t, "actions", log, []string{"1ms open 1 ", "12ms send 1 too old", "12ms end 1 "})
}

func TestCrashes(t *testing.T) {
	for _, when := range []engine.Crash{engine.CrashBefore, engine.CrashAfter} {
		for _, point := range []string{"a: get Pod x #1", "kubelet: update Pod d/x #1"} {
			t.Run(fmt.Sprintf("%s %s", when, point), func(t *testing.T) {
				killed, done := "", 0
				e, s := newEngine(func(c *engine.Config) {
					c.Schedule = []engine.Perturbation{{Point: point, Crash: when, Restart: 3 * time.Second}}
					c.Kill = func(process string, restart time.Duration) error {
						killed = fmt.Sprintf("%s for %v", process, restart)
						return nil
					}
				})
				e.After(engine.Point{Process: "kubelet", Verb: "update", Kind: "Pod", Object: "d/x"}, ms, func() engine.Outcome {
					done++
					return engine.Outcome{Text: "200"}
				})
				drive(e, map[time.Duration][]lockstep.Arrival{0: {request(1, "a", "/Pod/x")}}, time.Minute)
				process, carriedOut := "a", s.served
				if strings.HasPrefix(point, "kubelet") {
					process, carriedOut = "kubelet", done
				}
				if want := process + " for 3s"; killed != want {
					t.Errorf("killed %q, want %q", killed, want)
				}
				if want := map[engine.Crash]int{engine.CrashBefore: 0, engine.CrashAfter: 1}[when]; carriedOut != want {
					t.Errorf("carried out %d times, want %d", carriedOut, want)
				}
				if e.Healed() != ms+3*time.Second {
					t.Errorf("healed at %v, want 3.001s: when the process is up again", e.Healed())
				}
			})
		}
	}
}

func TestRepeatedUserAction(t *testing.T) {
	e, _ := newEngine(func(c *engine.Config) {
		c.Schedule = []engine.Perturbation{{Point: "user: patch Pod d/x #1", Repeat: time.Second}}
	})
	e.After(engine.Point{Process: "user", Verb: "patch", Kind: "Pod", Object: "d/x"}, ms, func() engine.Outcome {
		return engine.Outcome{Text: "ok"}
	})
	e.Advance(time.Minute)
	want(t, "steps", steps(e), []string{"1ms user: patch Pod d/x #1: ok", "1.001s user: patch Pod d/x #2: ok"})
}

func TestUnapplied(t *testing.T) {
	e, _ := newEngine(func(c *engine.Config) {
		c.Schedule = []engine.Perturbation{
			{Point: "a: get Pod x #1", Delay: ms},
			{Point: "a: get Pod y #1", Delay: ms},
			{Point: "a: get Pod x #2", Break: engine.BreakAgain}, // a request is no watch event
		}
	})
	drive(e, map[time.Duration][]lockstep.Arrival{0: {request(1, "a", "/Pod/x"), request(2, "a", "/Pod/x")}}, time.Minute)
	want(t, "unapplied", e.Unapplied(), []string{"a: get Pod y #1", "a: get Pod x #2"})
}

func TestValidatePerturbation(t *testing.T) {
	tests := []struct {
		name    string
		perturb engine.Perturbation
		ok      bool
	}{
		{"delay", engine.Perturbation{Point: "p", Delay: ms}, true},
		{"delay and crash", engine.Perturbation{Point: "p", Delay: ms, Crash: engine.CrashAfter}, true},
		{"no point", engine.Perturbation{Delay: ms}, false},
		{"nothing", engine.Perturbation{Point: "p"}, false},
		{"two things", engine.Perturbation{Point: "p", Reset: true, Status: 500}, false},
		{"negative", engine.Perturbation{Point: "p", Delay: -ms}, false},
		{"no failure", engine.Perturbation{Point: "p", Status: 200}, false},
		{"unknown break", engine.Perturbation{Point: "p", Break: "x"}, false},
		{"a crash onto an older state", engine.Perturbation{Point: "p", Crash: engine.CrashAfter, Stale: ms}, true},
		{"an older state, and refused", engine.Perturbation{Point: "p", Stale: ms, Status: 500}, false},
		{"a clock that is behind", engine.Perturbation{Point: "p", Clock: -ms}, true},
		{"cut off and robbed", engine.Perturbation{Point: "p", Pause: ms, Steal: true}, false},
		{"cut off for less than nothing", engine.Perturbation{Point: "p", Pause: -ms}, false},
		{"unknown crash", engine.Perturbation{Point: "p", Crash: "x"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := test.perturb.Validate(); (err == nil) != test.ok {
				t.Errorf("got %v, want ok=%v", err, test.ok)
			}
		})
	}
}

// What is due while a process is cut off comes after it, in the order in which it
// was due; other processes go on. A theft comes just before its decision.
func TestInterceptedDecisions(t *testing.T) {
	robbed := ""
	e, _ := newEngine(func(c *engine.Config) {
		c.Schedule = []engine.Perturbation{
			{Point: "a: get Pod x #1", Pause: time.Second},
			{Point: "b: get Pod x #2", Steal: true},
		}
		c.Steal = func(process string) error {
			robbed = process
			return nil
		}
	})
	drive(e, map[time.Duration][]lockstep.Arrival{
		0:        {request(1, "a", "/Pod/x"), request(2, "a", "/Pod/y"), request(3, "b", "/Pod/x"), request(4, "b", "/Pod/x")},
		500 * ms: {request(5, "a", "/Pod/z")},
	}, time.Minute)
	want(t, "steps", steps(e), []string{
		"1ms b: get Pod x #1: 200", "1ms user: steal Lease of b #1: ok", "1ms b: get Pod x #2: 200",
		"1.001s a: get Pod x #1: 200", "1.001s a: get Pod y #1: 200", "1.001s a: get Pod z #1: 200",
	})
	if left := e.Unapplied(); robbed != "b" || len(left) > 0 || e.Healed() != 1001*ms {
		t.Errorf("robbed %q, not applied %q, healed at %v", robbed, left, e.Healed())
	}
}
