package perfetto_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/report/page"
	"github.com/vmreplay/vmreplay/sim/report/perfetto"
	"github.com/vmreplay/vmreplay/sim/report/record"
)

func sample() page.Run {
	return page.Run{
		Result: report.Result{Scenario: "s", Variant: "v"},
		Record: &record.Record{
			End: 1e6,
			Lanes: []record.Lane{
				{Process: "user", Sort: record.LaneRequests}, {Sort: record.LaneStore, Name: "Pod"},
				{Process: "c", Sort: record.LaneRequests}, {Process: "c", Sort: record.LaneInformer, Name: "Pod"},
				{Process: "c", Sort: record.LaneQueue, Name: "q"}, {Process: "c", Sort: record.LaneLog},
			},
			Steps: []record.Step{
				{At: 10, Raised: 10, Lane: 0, Verb: "bind", Kind: "Pod", Object: "a", Changes: []record.Change{{Kind: "Pod", Key: "a", Lane: 1}}},
				{At: 20, Raised: 10, Lane: 3, Verb: "deliver", Kind: "Pod", Object: "a"},
				{At: 30, Raised: 25, Lane: 2, Verb: "get", Kind: "Pod", Object: "a", Perturbed: "delayed by 1s"},
			},
			Notes: []record.Note{{At: 30, Lane: 5, Op: "info", Text: "x"}},
			// Two workers, one attempt that takes no time, one that begins as another ends.
			Attempts: []record.Attempt{{From: 20, To: 40}, {From: 25, To: 60}, {From: 40, To: 40}, {From: 41, To: 50}},
			Keys:     []record.Key{{Name: "k", Lane: 4}},
			Links:    []record.Link{{Sort: record.LinkWrite, From: 0, To: 1}, {Sort: record.LinkWake, From: 1, To: 0}},
			Checks:   []record.Check{{Name: "never", At: 50}},
		},
	}
}

// An event as the format describes it.
type event struct {
	Phase    string   `json:"ph"`
	Name     string   `json:"name"`
	Category string   `json:"cat"`
	Process  *int     `json:"pid"`
	Thread   *int     `json:"tid"`
	At       *float64 `json:"ts"`
	Length   *float64 `json:"dur"`
	ID       *int     `json:"id"`
	Bind     string   `json:"bp"`
	Scope    string   `json:"s"`
}

type thread struct{ process, thread int }

// valid checks the rules of the format: what each phase needs, that
// slices of a thread lie within each other or apart, that asynchronous events
// begin and end, and that both ends of a flow are in a slice.
func valid(events []event) (wrong []string) {
	complain := func(e event, format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s %q: ", e.Phase, e.Name)+fmt.Sprintf(format, args...))
	}
	slicesOf := map[thread][]event{}
	open := map[string]int{}
	flows := map[int]event{}
	named := map[thread]bool{}
	var ends []event
	for _, e := range events {
		if e.Name == "" || e.Process == nil || e.Thread == nil || e.At == nil || *e.At < 0 {
			complain(e, "expected a name, a process, a thread and a time")
			continue
		}
		at := thread{*e.Process, *e.Thread}
		switch e.Phase {
		case "M":
			named[at] = named[at] || e.Name == "thread_name"
		case "X":
			if e.Length == nil || *e.Length < 0 {
				complain(e, "expected a length")
				continue
			}
			slicesOf[at] = append(slicesOf[at], e)
		case "i":
			if !slices.Contains([]string{"t", "p", "g"}, e.Scope) {
				complain(e, "scope %q", e.Scope)
			}
		case "b", "e":
			id := fmt.Sprint(e.Category, *e.ID, e.Name)
			if open[id] += map[string]int{"b": 1, "e": -1}[e.Phase]; open[id] < 0 {
				complain(e, "ends before it begins")
			}
		case "s":
			flows[*e.ID] = e
			ends = append(ends, e)
		case "f":
			if s, ok := flows[*e.ID]; !ok || *s.At > *e.At || e.Bind != "e" {
				complain(e, "expected a flow that began before")
			}
			ends = append(ends, e)
		default:
			complain(e, "unknown phase")
		}
	}
	for id, n := range open {
		if n != 0 {
			wrong = append(wrong, id+" does not end")
		}
	}
	for at, list := range slicesOf {
		if !named[at] {
			complain(list[0], "its thread has no name")
		}
		wrong = append(wrong, nested(list)...)
	}
	for _, e := range ends {
		inside := func(s event) bool { return *s.At <= *e.At && *e.At <= *s.At+*s.Length }
		if !slices.ContainsFunc(slicesOf[thread{*e.Process, *e.Thread}], inside) {
			complain(e, "is in no slice")
		}
	}
	return wrong
}

func nested(list []event) (wrong []string) {
	for i, a := range list {
		for _, b := range list[i+1:] {
			if *b.At < *a.At {
				a, b = b, a
			}
			if *b.At < *a.At+*a.Length && *b.At+*b.Length > *a.At+*a.Length {
				wrong = append(wrong, fmt.Sprintf("%q at %v and %q at %v overlap", a.Name, *a.At, b.Name, *b.At))
			}
		}
	}
	return wrong
}

func decode(t *testing.T, runs []page.Run) []event {
	t.Helper()
	var b, again bytes.Buffer
	if err := perfetto.Write(&b, runs); err != nil {
		t.Fatal(err)
	}
	if err := perfetto.Write(&again, runs); err != nil || b.String() != again.String() {
		t.Fatalf("a second trace differs (%v)", err)
	}
	var trace struct {
		Unit   string   `json:"displayTimeUnit"`
		Events *[]event `json:"traceEvents"`
	}
	if err := json.Unmarshal(b.Bytes(), &trace); err != nil || trace.Events == nil || trace.Unit != "ms" {
		t.Fatalf("no trace (%v): %s", err, b.String())
	}
	return *trace.Events
}

func TestTracesFollowTheRulesOfTheFormat(t *testing.T) {
	tests := []struct {
		name string
		runs []page.Run
	}{
		{"no run", nil},
		{"a run without a record", []page.Run{{}}},
		{"a run", []page.Run{sample()}},
		{"two runs", []page.Run{sample(), sample()}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, wrong := range valid(decode(t, test.runs)) {
				t.Error(wrong)
			}
		})
	}
}

func TestFlowsGoFromWriteToAttempt(t *testing.T) {
	events := decode(t, []page.Run{sample()})
	n := 0
	for _, e := range events {
		if e.Phase == "f" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d flows, expected from the write to the delivery and on to the attempt", n)
	}
}

// The rules that are checked are rules: a trace that breaks them is found.
func TestTheRulesAreChecked(t *testing.T) {
	p, a, l := 1, 10.0, 5.0
	later := 12.0
	tests := []struct {
		name   string
		events []event
	}{
		{"overlap", []event{{Phase: "M", Name: "thread_name", Process: &p, Thread: &p, At: &a}, {Phase: "X", Name: "a", Process: &p, Thread: &p, At: &a, Length: &l}, {Phase: "X", Name: "b", Process: &p, Thread: &p, At: &later, Length: &l}}},
		{"a flow without a slice", []event{{Phase: "s", Name: "a", Process: &p, Thread: &p, At: &a, ID: &p}}},
		{"no end", []event{{Phase: "b", Name: "a", Process: &p, Thread: &p, At: &a, ID: &p}}},
		{"no length", []event{{Phase: "X", Name: "a", Process: &p, Thread: &p, At: &a}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if valid(test.events) == nil {
				t.Error("nothing was found")
			}
		})
	}
}
