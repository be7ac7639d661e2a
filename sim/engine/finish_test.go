package engine_test

import (
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// TestFinish: what is due is left out, and the run ends where it was told to.
func TestFinish(t *testing.T) {
	e, _ := newEngine(nil)
	e.After(engine.Point{Process: "a", Verb: engine.VerbTimer}, 10*time.Second, func() engine.Outcome {
		t.Error("an item that was due after the end was granted")
		return engine.Outcome{}
	})
	e.Quiesced(time.Second, nil)
	e.Finish(30 * time.Second)
	if turn := e.Quiesced(30*time.Second, nil); !turn.Done {
		t.Error("want the run done")
	}
	if end := e.Trace().End; end != 30*time.Second {
		t.Errorf("want an end at 30s, found %s", end)
	}
}
