package record_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/expr"
	"github.com/vmreplay/vmreplay/sim/report/record"
)

const ms = time.Millisecond

type revision struct {
	version uint64
	node    string
}

func (r revision) Ref() engine.Ref {
	return engine.Ref{Kind: "Pod", Namespace: "default", Name: "target"}
}
func (r revision) Version() uint64 { return r.version }
func (r revision) Content() map[string]any {
	return map[string]any{"metadata": map[string]any{"name": "target"}, "spec": map[string]any{"nodeName": r.node}}
}

const (
	process = "kube-ovn-controller"
	bound   = "user: bind Pod default/target #1"
)

// sample is a run in which a pod is bound, seen late, worked on and dropped.
func sample() record.Source {
	before, after := revision{7, ""}, revision{8, "node-b"}
	bind := engine.Change{Type: engine.Modified, Ref: before.Ref(), Before: before, After: after}
	queue := func(after int, at time.Duration, ops ...string) (notes []engine.Note) {
		for _, op := range ops {
			notes = append(notes, engine.Note{At: at, Process: process, Source: "pods", Op: op, Key: "default/target", After: after})
		}
		return notes
	}
	pod := func(process, verb, detail string) engine.Point {
		return engine.Point{Process: process, Verb: verb, Kind: "Pod", Object: "default/target", Detail: detail, N: 1}
	}
	t := &engine.Trace{
		End:   time.Second,
		Given: []engine.Change{{Type: engine.Added, Ref: before.Ref(), After: before}},
		Steps: []engine.Step{
			{Point: pod("user", "bind", ""), At: 10 * ms, Raised: 10 * ms, Outcome: "ok", Version: 8, Changes: []engine.Change{bind}},
			{Point: pod(process, engine.VerbDeliver, engine.Modified), Raised: 10 * ms, At: 300 * ms, Outcome: "delivered", Version: 8, Revision: after},
			{Point: pod(process, "get", ""), Raised: 300 * ms, At: 301 * ms, Outcome: "404 NotFound",
				Exchange: &engine.Exchange{Method: "GET", Path: "/api/v1/x", Answer: []byte(`{"b": 1, "a": "x"}`)}},
			{Point: pod(process, engine.VerbDeliver, engine.Deleted), Raised: 400 * ms, At: 402 * ms, Outcome: "delivered", Version: 9, Revision: after},
		},
	}
	t.Notes = append(queue(2, 300*ms, engine.QueueAdd, engine.QueueGet), queue(3, 301*ms, engine.QueueForget, engine.QueueDone)...)
	return record.Source{
		Trace:  t,
		Checks: []check.Result{{Name: "ready", Message: "never", At: 900 * ms}},

		Unconverged: true,
		Schedule:    []engine.Perturbation{{Point: bound, Delay: 2 * time.Second}},
		Slowed:      []record.Informer{{Process: process, Kind: "Pod"}},
	}
}

func TestRecord(t *testing.T) {
	r := record.Of(sample())
	lanes := []record.Lane{
		{Process: "user", Sort: record.LaneRequests}, {Sort: record.LaneStore, Name: "Pod"},
		{Process: process, Sort: record.LaneRequests}, {Process: process, Sort: record.LaneInformer, Name: "Pod"},
		{Process: process, Sort: record.LaneQueue, Name: "pods"},
	}
	if diff := cmp.Diff(lanes, r.Lanes); diff != "" {
		t.Errorf("lanes (-want +got):\n%s", diff)
	}
	links := []record.Link{{Sort: record.LinkWrite, From: 0, To: 1}, {Sort: record.LinkWake, From: 1, To: 0}}
	if diff := cmp.Diff(links, r.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	attempts := []record.Attempt{{Number: 1, From: 300e3, To: 301e3, Result: record.Dropped, FirstStep: 2, LastStep: 3}}
	if diff := cmp.Diff(attempts, r.Attempts); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{3}, r.Keys[0].Missed); diff != "" || !r.Keys[0].Dropped {
		t.Errorf("missed deliveries (-want +got):\n%s", diff)
	}
	if got := r.Steps[0]; got.Perturbed != "delayed by 2s" || got.Failed || got.Changes[0].Before == got.Changes[0].After {
		t.Errorf("the write is %+v", got)
	}
	if got := r.Steps[1]; !got.Held || got.State != r.Steps[0].Changes[0].After {
		t.Errorf("the delivery is %+v, expected the object that was written", got)
	}
	get := r.Steps[2]
	if !get.Failed || get.Exchange == nil || string(r.Blobs[get.Exchange.Answer]) != `{"a":"x","b":1}` {
		t.Errorf("the read is %+v", get)
	}
}

// The key of a run that holds was done, not dropped.
func TestNothingIsDroppedWhereAllHolds(t *testing.T) {
	s := sample()
	s.Unconverged = false // whatever else failed
	r := record.Of(s)
	if r.Attempts[0].Result != record.Finished || r.Keys[0].Dropped || r.Keys[0].Missed != nil {
		t.Errorf("found %+v of %+v", r.Attempts[0], r.Keys[0])
	}
}

func TestValuesFollowTheWrites(t *testing.T) {
	env, err := expr.NewEnv([]expr.Kind{{Name: "Pod", Func: "pod", Namespaced: true}})
	if err != nil {
		t.Fatal(err)
	}
	program, err := env.Compile(`pod("default/target").spec.nodeName == "node-b"`)
	if err != nil {
		t.Fatal(err)
	}
	s := sample()
	s.Conditions = []record.Condition{{Check: "ready", Program: program}}
	want := []record.Values{
		{Step: -1, Check: "ready", Reads: []string{`pod("default/target").spec.nodeName = ""`}},
		{Step: 0, Check: "ready", Holds: true, Reads: []string{`pod("default/target").spec.nodeName = "node-b"`}},
	}
	if diff := cmp.Diff(want, record.Of(s).Values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOneSourceGivesOneRecord(t *testing.T) {
	text := func() string {
		b, err := json.Marshal(record.Of(sample()))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if diff := cmp.Diff(text(), text()); diff != "" {
		t.Errorf("a second record differs:\n%s", diff)
	}
}

func TestDeed(t *testing.T) {
	tests := []struct {
		name string
		p    engine.Perturbation
		want string
	}{
		{"delay", engine.Perturbation{Delay: time.Second}, "delayed by 1s"},
		{"status", engine.Perturbation{Status: 409}, "refused with 409"},
		{"lost", engine.Perturbation{Lost: true}, "executed, but the reply was lost"},
		{"delay and break", engine.Perturbation{Delay: time.Second, Break: engine.BreakGone}, "delayed by 1s; watch broken: too old (410)"},
		{"crash", engine.Perturbation{Crash: engine.CrashAfter, Restart: time.Second}, "process killed after it, started again after 1s"},
		{"crash onto an older state", engine.Perturbation{Crash: engine.CrashBefore, Restart: time.Second, Stale: time.Minute}, "process killed before it, started again after 1s; listing the state of 1m0s before"},
		{"older state", engine.Perturbation{Stale: time.Minute}, "answered with the state of 1m0s before"},
		{"clock ahead", engine.Perturbation{Clock: time.Second}, "the process' clock is 1s ahead from here on"},
		{"clock behind", engine.Perturbation{Clock: -time.Second}, "the process' clock is 1s behind from here on"},
		{"cut off", engine.Perturbation{Pause: time.Second}, "the process is cut off for 1s"},
		{"robbed", engine.Perturbation{Steal: true}, "the lease was stolen before it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := record.Deed(test.p); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
