package check

import (
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// request is a step that asks for something and changes nothing.
func request(process, verb, kind, object string, at time.Duration) engine.Step {
	return engine.Step{Point: engine.Point{Process: process, Verb: verb, Kind: kind, Object: object, N: 1}, At: at, Outcome: "200"}
}

// gets are reads of one object at the given instants.
func gets(at ...time.Duration) []engine.Step {
	var steps []engine.Step
	for _, a := range at {
		steps = append(steps, request("c", "get", "Pod", "d/p", a))
	}
	return steps
}

func TestRate(t *testing.T) {
	two := scenario.Rate{AtMost: 2, Per: 10 * ms}
	write := scenario.Rate{Verb: "write", Per: s}
	tests := []struct {
		name  string
		check scenario.Rate
		steps []engine.Step
		want  verdict
	}{
		{"few", two, gets(ms, 2*ms), verdict{true, s, "2 requests, at most 2 within 10ms"}},
		{"exactly a window apart", two, gets(0, 5*ms, 10*ms, 15*ms), verdict{true, s, "4 requests, at most 2 within 10ms"}},
		{"a microsecond closer", two, gets(us, 5*ms, 10*ms, 15*ms),
			verdict{false, 10 * ms, "3 requests within 10ms, from 1µs to 10ms; at most 2 are allowed\n  3 of them: c: get Pod d/p\n  the one too many: c: get Pod d/p #1 at 10ms"}},
		{"none allowed", scenario.Rate{Per: s}, gets(5 * ms),
			verdict{false, 5 * ms, "1 requests within 1s, from 5ms to 5ms; at most 0 are allowed\n  1 of them: c: get Pod d/p\n  the one too many: c: get Pod d/p #1 at 5ms"}},
		{"the key is named", two, append(gets(ms, 2*ms), request("c", "list", "Node", "", 2*ms)),
			verdict{false, 2 * ms, "3 requests within 10ms, from 1ms to 2ms; at most 2 are allowed\n  2 of them: c: get Pod d/p\n  the one too many: c: list Node #1 at 2ms"}},
		{"of another process", scenario.Rate{Process: "x", Per: s}, gets(ms), verdict{true, s, "0 requests, at most 0 within 1s"}},
		{"of another verb", scenario.Rate{Verb: "list", Per: s}, gets(ms), verdict{true, s, "0 requests, at most 0 within 1s"}},
		{"of another kind", scenario.Rate{Kind: "Node", Per: s}, gets(ms), verdict{true, s, "0 requests, at most 0 within 1s"}},
		{"of another object", scenario.Rate{Object: "d/q", Per: s}, gets(ms), verdict{true, s, "0 requests, at most 0 within 1s"}},
		{"reads are no writes", write, gets(ms), verdict{true, s, "0 requests, at most 0 within 1s"}},
		{"writes", write, []engine.Step{request("c", "patch", "Pod", "d/p", ms)},
			verdict{false, ms, "1 requests within 1s, from 1ms to 1ms; at most 0 are allowed\n  1 of them: c: patch Pod d/p\n  the one too many: c: patch Pod d/p #1 at 1ms"}},
		{"deliveries are no requests", scenario.Rate{Per: s}, []engine.Step{request("c", engine.VerbDeliver, "Pod", "d/p", ms)},
			verdict{true, s, "0 requests, at most 0 within 1s"}},
		{"the timeline is no process", write, []engine.Step{request("user", "patch", "Pod", "d/p", ms)},
			verdict{true, s, "0 requests, at most 0 within 1s"}},
		{"no window", scenario.Rate{AtMost: 1}, gets(ms, ms, 2*ms),
			verdict{false, ms, "2 requests within 0s, from 1ms to 1ms; at most 1 are allowed\n  2 of them: c: get Pod d/p\n  the one too many: c: get Pod d/p #1 at 1ms"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRun(t, scenario.Check{Name: "c", Rate: &tt.check}).start()
			for _, step := range tt.steps {
				r.observe(step)
			}
			wantVerdict(t, r.finish(s), tt.want)
		})
	}
}

func TestQuiet(t *testing.T) {
	after := func(d time.Duration) scenario.Quiet { return scenario.Quiet{From: scenario.Instant{Offset: d}} }
	ofEvent := scenario.Quiet{From: scenario.Instant{Event: "done"}}
	tests := []struct {
		name  string
		check scenario.Quiet
		play  func(r *run)
		want  verdict
	}{
		{"nothing", after(0), func(*run) {}, verdict{true, s, "no write after 0s"}},
		{"a write exactly then", after(ms), func(r *run) { r.observe(request("c", "update", "Pod", "d/p", ms)) },
			verdict{true, s, "no write after 1ms"}},
		{"a write a microsecond later", after(ms), func(r *run) { r.observe(request("c", "update", "Pod", "d/p", ms+us)) },
			verdict{false, ms + us, "c: update Pod d/p #1 at 1.001ms writes after 1ms\n  1 writes until 1.001ms, 1 of them: c: update Pod d/p"}},
		{"reads", after(0), func(r *run) { r.observe(request("c", "list", "Pod", "", ms)) }, verdict{true, s, "no write after 0s"}},
		{"a change without a request", after(0), func(r *run) {
			r.observe(engine.Step{Point: engine.Point{Process: "pod-gc", Verb: engine.VerbTimer, Kind: "Pod", Object: "d/p", N: 1}, At: ms,
				Changes: []engine.Change{{Ref: engine.ParseKey("Pod", "d/p")}}})
		}, verdict{false, ms, "pod-gc: timer Pod d/p #1 at 1ms writes after 0s\n  1 writes until 1ms, 1 of them: pod-gc: timer Pod d/p"}},
		{"the timeline's own writes", after(0), func(r *run) { r.observe(request("user", "delete", "Pod", "d/p", ms)) },
			verdict{true, s, "no write after 0s"}},
		{"another process", scenario.Quiet{Process: "x"}, func(r *run) { r.observe(request("c", "update", "Pod", "d/p", ms)) },
			verdict{true, s, "no write after 0s"}},
		{"after an event", ofEvent, func(r *run) {
			r.event(2*ms, "done", "Running")
			r.observe(request("c", "update", "Pod", "d/p", 3*ms))
			r.observe(request("c", "create", "Pod", "d/q", 4*ms))
			r.observe(request("c", "update", "Pod", "d/p", 5*ms))
		}, verdict{false, 3 * ms, "c: update Pod d/p #1 at 3ms writes after 2ms\n  3 writes until 5ms, 2 of them: c: update Pod d/p"}},
		{"the event never happened", ofEvent, func(*run) {}, verdict{false, s, `vacuous: the event "done" never happened`}},
		{"after the end", after(2 * s), func(*run) {}, verdict{false, s, "vacuous: the run ended at 1s, before 2s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRun(t, scenario.Check{Name: "c", Quiet: &tt.check}).start()
			tt.play(r)
			wantVerdict(t, r.finish(s), tt.want)
		})
	}
}

func TestHotLoop(t *testing.T) {
	update := engine.Point{Process: "c", Verb: "update", Kind: "Pod", Object: "d/p", N: 7}
	calm := gets(0, 10*s, 20*s, 30*s, 40*s, 50*s)
	storm := func() []engine.Step {
		steps := calm
		for i := range 4 {
			steps = append(steps, request("c", "update", "Pod", "d/p", 60*s+time.Duration(i)*ms))
			steps = append(steps, request("c", engine.VerbDeliver, "Pod", "d/p", 60*s+time.Duration(i)*ms), request("c", engine.VerbDeliver, "Pod", "d/p", 60*s+time.Duration(i)*ms))
		}
		return steps
	}()
	tests := []struct {
		name  string
		steps []engine.Step
		stop  engine.Stop
		want  string
	}{
		{"the limit of one name", storm, engine.Stop{Cause: engine.StopHotLoop, Point: update},
			"c: update Pod d/p: 4 times between 1m0s and 60.003s\n  commonest in the whole run: c: get Pod d/p: 6 times, of 10 decisions"},
		{"the limit of all steps", storm, engine.Stop{Cause: engine.StopBudget, Point: engine.Point{Process: "x"}},
			"the run took more than its 18 steps; what it did most in its densest second:\nc: update Pod d/p: 4 times between 1m0s and 60.003s\n  commonest in the whole run: c: get Pod d/p: 6 times, of 10 decisions"},
		{"a key that is taken for nothing", calm, engine.Stop{Cause: engine.StopHotLoop, Point: engine.Point{Process: "c", Verb: engine.VerbTake, Kind: "q", Object: "d/p"}},
			"c: takes d/p from its queue q again and again, and asks for nothing: stopped at 1m0s"},
		{"only deliveries", []engine.Step{request("c", engine.VerbDeliver, "Pod", "d/p", ms)}, engine.Stop{Cause: engine.StopBudget},
			"the run was stopped at 1m0s after 1 deliveries and nothing else"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := HotLoop(&engine.Trace{Steps: tt.steps, End: 60 * s}, tt.stop); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}
