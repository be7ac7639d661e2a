package check

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/expr"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

const (
	us = time.Microsecond
	ms = time.Millisecond
	s  = time.Second
)

// objects is a World of maps: kind, then key.
type objects map[string]map[string]map[string]any

func (o objects) Object(kind, key string) map[string]any { return o[kind][key] }

func (o objects) Objects(kind string) []map[string]any {
	var keys []string
	for key := range o[kind] {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var list []map[string]any
	for _, key := range keys {
		list = append(list, o[kind][key])
	}
	return list
}

// set puts an object of a phase there; an empty phase removes it.
func (o objects) set(kind, key, phase string) {
	if o[kind] == nil {
		o[kind] = map[string]map[string]any{}
	}
	delete(o[kind], key)
	if phase != "" {
		o[kind][key] = map[string]any{"status": map[string]any{"phase": phase}}
	}
}

func testEnv(t testing.TB) *expr.Env {
	t.Helper()
	env, err := expr.NewEnv([]expr.Kind{{Name: "Pod", Func: "pod", Namespaced: true}, {Name: "Node", Func: "node"}})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func testSpec(t testing.TB, checks ...scenario.Check) *Spec {
	t.Helper()
	spec, err := Compile(&scenario.Scenario{Expect: checks}, testEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// A run drives a Monitor as an engine would.
type run struct {
	world   objects
	monitor *Monitor
	trace   engine.Trace
}

func newRun(t testing.TB, checks ...scenario.Check) *run {
	r := &run{world: objects{}}
	r.monitor = testSpec(t, checks...).Monitor("none", r.world)
	return r
}

func (r *run) start() *run {
	r.monitor.Start()
	return r
}

// step takes a step that sets the phase of an object.
func (r *run) step(at time.Duration, kind, key, phase string) {
	r.world.set(kind, key, phase)
	r.observe(engine.Step{
		Point: engine.Point{Process: "kubelet", Verb: "update", Kind: kind, Object: key, N: 1}, At: at,
		Changes: []engine.Change{{Type: engine.Modified, Ref: engine.ParseKey(kind, key)}},
	})
}

// pod sets the phase of the one pod that most tests are about.
func (r *run) pod(at time.Duration, phase string) *run {
	r.step(at, "Pod", "d/p", phase)
	return r
}

// node sets the phase of a node.
func (r *run) node(at time.Duration, phase string) *run {
	r.step(at, "Node", "n", phase)
	return r
}

// event lets an event of the timeline happen, which sets the pod's phase.
func (r *run) event(at time.Duration, name, phase string) *run {
	r.monitor.Happened(name, at)
	return r.pod(at, phase)
}

func (r *run) observe(step engine.Step) {
	r.trace.Steps = append(r.trace.Steps, step)
	r.monitor.Observe(&r.trace.Steps[len(r.trace.Steps)-1])
}

func (r *run) finish(end time.Duration) []Result {
	r.trace.End = end
	return r.monitor.Finish(&r.trace)
}

// verdict is what tests compare of a result.
type verdict struct {
	OK      bool
	At      time.Duration
	Message string
}

func wantVerdict(t *testing.T, got []Result, want verdict) {
	t.Helper()
	if len(got) != 1 {
		t.Fatalf("got %d results, want 1: %v", len(got), got)
	}
	if diff := cmp.Diff(want, verdict{got[0].OK, got[0].At, got[0].Message}); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func expression(source string) scenario.Expr { return scenario.Expr{Source: source} }

func pointer[T any](v T) *T { return &v }

const running = `pod("d/p").status.phase == "Running"`
