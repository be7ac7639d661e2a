package check

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

func TestCompileErrors(t *testing.T) {
	at := scenario.Pos{File: "x.yaml", Line: 7, Column: 3}
	bad := scenario.Expr{Source: `pdo("a/b") == null`, Pos: at}
	good := expression(running)
	tests := []struct {
		name  string
		check scenario.Check
		want  string
	}{
		{"condition", scenario.Check{Name: "c", Never: &bad},
			`x.yaml:7:3: expression 1:4: unknown name "pdo"; did you mean "pod"? (in check "c")`},
		{"cause", scenario.Check{Name: "c", Eventually: &scenario.Eventually{Expr: good, OfWhen: &bad}},
			`x.yaml:7:3: expression 1:4: unknown name "pdo"; did you mean "pod"? (in the cause of check "c")`},
		{"no kind of check", scenario.Check{Name: "c", Pos: at},
			`x.yaml:7:3: check "c": expected one kind of check (eventually, always, never, stays, backoff, rate, quiet, leaderOnly, sometimes), found none`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Compile(&scenario.Scenario{Expect: []scenario.Check{tt.check}}, testEnv(t))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestResultsAreThoseOfTheVariantInTheOrderOfTheFile(t *testing.T) {
	at := scenario.Pos{File: "x.yaml", Line: 9, Column: 5}
	spec := testSpec(t,
		scenario.Check{Name: "quiet", Quiet: &scenario.Quiet{}},
		scenario.Check{Name: "of others", Variants: []string{"both"}, Never: pointer(expression(`true`))},
		scenario.Check{Name: "of these", Variants: []string{"both", "none"}, Always: pointer(expression(`true`)), Pos: at},
		scenario.Check{Name: "backoff", Backoff: &scenario.Backoff{}},
		scenario.Check{Name: "rate", Rate: &scenario.Rate{}},
	)
	m := spec.Monitor("none", objects{})
	m.Start()
	got := m.Finish(&engine.Trace{End: s})
	var names []string
	for _, r := range got {
		names = append(names, r.Name)
	}
	if diff := cmp.Diff([]string{"quiet", "of these", "backoff", "rate"}, names); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
	if got[1].Pos != at {
		t.Errorf("position is %v, want %v", got[1].Pos, at)
	}
}

func TestObserveEvaluatesOnlyWhatAStepCanChange(t *testing.T) {
	r := newRun(t, scenario.Check{Name: "c", Never: pointer(expression(`pod("d/p") != null`))}).start()
	r.world.set("Pod", "d/p", "Running") // without a change, nobody looks
	r.node(ms, "Ready")
	if r.monitor.slots[0].now {
		t.Error("a change of a Node evaluated an expression that reads Pods")
	}
	r.pod(ms, "Running")
	if !r.monitor.slots[0].now {
		t.Error("a change of a Pod did not evaluate an expression that reads Pods")
	}
}

func idleSteps() []engine.Step {
	return []engine.Step{
		{Point: engine.Point{Process: "c", Verb: "get", Kind: "Pod", Object: "d/p"}, At: ms},
		{Point: engine.Point{Process: "c", Verb: "update", Kind: "Event", Object: "d/e"}, At: ms,
			Changes: []engine.Change{{Ref: engine.ParseKey("Event", "d/e")}}},
	}
}

func TestObserveOfIdleStepsAllocatesNothing(t *testing.T) {
	r := newRun(t, scenario.Check{Name: "c", Stays: &scenario.Stays{Expr: expression(running)}}).start()
	steps := idleSteps()
	if n := testing.AllocsPerRun(100, func() {
		for i := range steps {
			r.monitor.Observe(&steps[i])
		}
	}); n != 0 {
		t.Errorf("Observe allocates %v times", n)
	}
}

func BenchmarkObserve(b *testing.B) {
	steps := append(idleSteps(), engine.Step{Point: engine.Point{Process: "kubelet", Verb: "update"}, At: ms,
		Changes: []engine.Change{{Ref: engine.ParseKey("Pod", "d/p")}}})
	for i, name := range []string{"no change", "other kind", "kind read"} {
		b.Run(name, func(b *testing.B) {
			r := newRun(b,
				scenario.Check{Name: "a", Stays: &scenario.Stays{Expr: expression(running)}},
				scenario.Check{Name: "b", Never: pointer(expression(`pod("d/p").status.phase == "Failed"`))},
				scenario.Check{Name: "c", Eventually: &scenario.Eventually{Expr: expression(`node("n") != null`), Within: s}})
			r.world.set("Pod", "d/p", "Running")
			r.start()
			b.ReportAllocs()
			for b.Loop() {
				r.monitor.Observe(&steps[i])
			}
		})
	}
}
