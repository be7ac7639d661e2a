package perfetto_test

import (
	"bytes"
	"testing"

	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/report/page"
	"github.com/vmreplay/vmreplay/sim/report/perfetto"
	"github.com/vmreplay/vmreplay/sim/report/perfetto/tracetest"
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

// written is the trace of runs, which is the same each time.
func written(t *testing.T, runs []page.Run) []byte {
	t.Helper()
	var b, again bytes.Buffer
	if err := perfetto.Write(&b, runs); err != nil {
		t.Fatal(err)
	}
	if err := perfetto.Write(&again, runs); err != nil || b.String() != again.String() {
		t.Fatalf("a second trace differs (%v)", err)
	}
	return b.Bytes()
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
			for _, wrong := range tracetest.Wrong(written(t, test.runs)) {
				t.Error(wrong)
			}
		})
	}
}

func TestFlowsGoFromWriteToAttempt(t *testing.T) {
	if n := bytes.Count(written(t, []page.Run{sample()}), []byte(`"ph":"f"`)); n != 2 {
		t.Errorf("%d flows, expected from the write to the delivery and on to the attempt", n)
	}
}
