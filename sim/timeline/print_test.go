package timeline_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/timeline"
)

var update = flag.Bool("update", false, "write the golden files")

type revision struct {
	version uint64
	content map[string]any
}

func (r revision) Ref() engine.Ref {
	return engine.Ref{Kind: "Pod", Namespace: "default", Name: "target"}
}
func (r revision) Version() uint64         { return r.version }
func (r revision) Content() map[string]any { return r.content }

func content(node any, extra string) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"resourceVersion": extra, "labels": map[string]any{"kubevirt.io/app": extra}},
		"spec":     map[string]any{"nodeName": node, "list": []any{"a", extra}, "many": []any{extra, extra, extra}[:len(extra)]},
	}
}

func sample() *engine.Trace {
	bind := engine.Change{Type: engine.Modified, Before: revision{8, content(nil, "x")}, After: revision{9, content("node-b", "xy")}}
	return &engine.Trace{
		Hash: 0xabc, End: 90 * time.Second,
		Steps: []engine.Step{
			{Point: engine.Point{Process: "kube-ovn-controller", Verb: "get", Kind: "Pod", Object: "default/target", N: 1}, At: 1500 * time.Microsecond, Outcome: "404 NotFound"},
			{Point: engine.Point{Process: "user", Verb: "bind", Kind: "Pod", Object: "default/target", Detail: "node-b", N: 1}, At: time.Second, Outcome: "ok", Version: 9, Changes: []engine.Change{bind}},
			{Point: engine.Point{Process: "kube-ovn-controller", Verb: engine.VerbDeliver, Kind: "Pod", Object: "default/target", Detail: engine.Modified, N: 1}, Raised: time.Second, At: 1002 * time.Millisecond, Outcome: "delivered", Version: 9},
		},
		Notes: []engine.Note{
			{Process: "kube-ovn-controller", Source: "vmim", Op: engine.QueueAdd, Key: "default/migration", After: 0},
			{Process: "kube-ovn-controller", Source: engine.SourceLog, Op: "info", Text: "two\nlines", After: 1},
			{Process: "kube-ovn-controller", Source: engine.SourceProcess, Op: "exit", Text: "", After: 3},
		},
	}
}

func TestPrint(t *testing.T) {
	tests := []struct {
		name    string
		options timeline.Options
	}{
		{"brief", timeline.Options{}},
		{"full", timeline.Options{Notes: true, Fields: true}},
		{"narrow", timeline.Options{Notes: true, Fields: true, Width: 40}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got, again bytes.Buffer
			if err := timeline.Print(&got, sample(), test.options); err != nil {
				t.Fatal(err)
			}
			if err := timeline.Print(&again, sample(), test.options); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got.String(), again.String()); diff != "" {
				t.Errorf("a second print differs:\n%s", diff)
			}
			golden := "testdata/" + test.name + ".golden"
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A table that fits stays one.
func TestPrintFits(t *testing.T) {
	printed := func(width int) string {
		var b bytes.Buffer
		if err := timeline.Print(&b, sample(), timeline.Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	widest := 0
	for line := range strings.Lines(printed(0)) {
		widest = max(widest, utf8.RuneCountInString(line)-1)
	}
	if diff := cmp.Diff(printed(0), printed(widest)); diff != "" {
		t.Errorf("on a terminal that is as wide as the table (-want +got):\n%s", diff)
	}
	if got := printed(widest - 1); strings.Contains(got, "ACTOR") {
		t.Errorf("on a terminal that is one column too narrow:\n%s", got)
	}
}

// Names and messages are data: a terminal must not obey them.
func TestPrintEscapes(t *testing.T) {
	const evil = "a\x1b[2J\u202eb\x07"
	trace := sample()
	trace.Steps[0].Point.Object, trace.Steps[0].Outcome = evil, evil
	trace.Steps[1].Changes[0].After = revision{9, map[string]any{"spec": map[string]any{"nodeName": evil}}}
	trace.Notes[0].Key, trace.Notes[1].Text, trace.Notes[2].Text = evil, evil, evil
	for _, o := range []timeline.Options{{Notes: true, Fields: true}, {Notes: true, Fields: true, Width: 30}, {Points: true}} {
		var b bytes.Buffer
		if err := timeline.Print(&b, trace, o); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(b.String(), "\x1b\u202e\x07") || !strings.Contains(b.String(), `a\x1b[2J\u202eb\x07`) {
			t.Errorf("with %+v:\n%q", o, b.String())
		}
	}
}

func TestFields(t *testing.T) {
	tests := []struct {
		name          string
		before, after map[string]any
		want          []string
	}{
		{"nothing", map[string]any{"a": "b"}, map[string]any{"a": "b"}, nil},
		{"masked", map[string]any{"metadata": map[string]any{"resourceVersion": "1"}}, map[string]any{"metadata": map[string]any{"resourceVersion": "2"}}, nil},
		{"a field comes", map[string]any{}, map[string]any{"spec": map[string]any{"node": "a"}}, []string{"spec.node: none -> a"}},
		{"a field goes", map[string]any{"spec": map[string]any{"node": "a"}}, map[string]any{}, []string{"spec.node: a -> none"}},
		{"an empty map comes", map[string]any{}, map[string]any{"spec": map[string]any{}}, []string{"spec: none -> {}"}},
		{"a key with dots", map[string]any{}, map[string]any{"labels": map[string]any{"a.b/c": "1"}}, []string{`labels."a.b/c": none -> 1`}},
		{"an item of a list", map[string]any{"l": []any{int64(1), int64(2)}}, map[string]any{"l": []any{int64(1), int64(3)}}, []string{"l[1]: 2 -> 3"}},
		{"a longer list", map[string]any{"l": []any{"a"}}, map[string]any{"l": []any{"a", "b"}}, []string{`l: ["a"] -> ["a","b"]`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := timeline.Fields(engine.Change{Before: revision{1, test.before}, After: revision{2, test.after}})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
