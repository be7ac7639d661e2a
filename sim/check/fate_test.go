package check

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmreplay/vmreplay/sim/engine"
)

func TestFates(t *testing.T) {
	note := func(at time.Duration, source, op, key, text string) engine.Note {
		return engine.Note{At: at, Process: "c", Source: source, Op: op, Key: key, Text: text}
	}
	trace := &engine.Trace{End: s, Notes: []engine.Note{
		note(0, "q", engine.QueueAdd, "a", ""),
		note(0, "q", engine.QueueGet, "a", ""),
		note(ms, engine.SourceLog, "info", "", "nothing to do"),
		note(ms, "q", engine.QueueForget, "a", ""),
		note(ms, "q", engine.QueueDone, "a", ""),
		note(2*ms, "q", engine.QueueAdd, "b", ""),
		note(2*ms, "q", engine.QueueGet, "b", ""),
		note(3*ms, engine.SourceLog, "error", "b", "refused"),
		note(3*ms, "q", engine.QueueRateLimited, "b", ""),
		note(3*ms, "q", engine.QueueDone, "b", ""),
		note(4*ms, "q", engine.QueueAdd, "d", ""),
	}}
	for i := range trace.Notes {
		trace.Notes[i].After = i // a step between every two notes
		trace.Steps = append(trace.Steps, engine.Step{At: trace.Notes[i].At})
	}
	tests := []struct {
		name  string
		until time.Duration
		want  []Fate
	}{
		{"before anything was done", 0, []Fate{{Process: "c", Queue: "q", Key: "a", State: KeyInWork, Last: 0}}},
		{"dropped", ms, []Fate{{Process: "c", Queue: "q", Key: "a", State: KeyDropped, Last: ms, Log: []string{"nothing to do"}}}},
		{"at the end", s, []Fate{
			{Process: "c", Queue: "q", Key: "a", State: KeyDropped, Last: ms, Log: []string{"nothing to do"}},
			{Process: "c", Queue: "q", Key: "b", State: KeyWaits, Last: 3 * ms, Log: []string{"refused"}, Said: []string{"refused"}},
			{Process: "c", Queue: "q", Key: "d", State: KeyQueued},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Fates(trace, test.until)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
