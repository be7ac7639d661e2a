package page

import (
	"fmt"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/report"
)

// An entry is what the page says of a run beside its record.
type entry struct {
	Index    int    `json:"index"`
	Scenario string `json:"scenario"`
	Path     string `json:"path"`
	Variant  string `json:"variant"`
	Verdict  string `json:"verdict"` // "red", "green" or the state that left no verdict
	Note     string `json:"note"`    // "as expected", or how it differs
	Virtual  string `json:"virtual"`
	Steps    int    `json:"steps"`
	Hash     string `json:"hash"`
	Detail   string `json:"detail"`
	Replay   string `json:"replay"`
	Bundle   int    `json:"bundle"` // where its record is; -1 if there is none
}

func newEntry(i int, r Run) entry {
	e := entry{
		Index: i, Scenario: r.Scenario, Path: r.Path, Variant: r.Variant, Verdict: colour(r.Result), Note: "as expected",
		Virtual: time.Duration(r.VirtualSeconds * float64(time.Second)).Round(time.Millisecond).String(),
		Steps:   r.Steps, Hash: fmt.Sprintf("%016x", r.Hash), Detail: r.Detail, Replay: r.Replay,
	}
	if !r.AsExpected() {
		e.Note = "not as expected"
		if r.Unexpected != "" {
			e.Note += ": " + r.Unexpected
		}
	}
	return e
}

// Title names the run.
func (e entry) Title() string { return e.Scenario + ", variant " + e.Variant }

func colour(r report.Result) string {
	switch {
	case r.Status == report.Nondeterministic || r.Status == report.Hung:
		return r.Status
	case r.Green():
		return "green"
	}
	return "red"
}

// packedIndex is what the page's script has to know before it opens a record.
func packedIndex(entries []entry) (string, error) {
	runs, err := tabled(entries)
	if err != nil {
		return "", err
	}
	return squeezed(map[string]any{"runs": runs, "user": engine.User})
}
