package lockstep_test

import (
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// An engine that hangs or panics ends its run with a reason, here and in a child,
// and the next run is as good as new.
func TestEnginesThatMisbehave(t *testing.T) {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	tests := []struct {
		name     string
		quiesced func()
		hung     []string
	}{
		{"does not return", func() { <-never }, []string{"no progress for 300ms of real time: the engine does not return", "TestEnginesThatMisbehave"}},
		{"panics", func() { panic("boom") }, []string{"the run ended with a panic: boom"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, _ := remote(t, "bursts")
			rep := r.Run(func(time.Time) lockstep.Engine {
				return engineFunc(func(time.Duration, []lockstep.Arrival) lockstep.Turn {
					test.quiesced()
					return lockstep.Turn{Done: true}
				})
			}, lockstep.Options{Horizon: time.Minute, Stuck: 300 * time.Millisecond})
			wantAll(t, "hung", rep.Hung, test.hung)
			if rep := play(r, minute()); !rep.Clean() {
				t.Errorf("the next run ended badly: %+v", rep)
			}
		})
	}
}

// Signs of life in a long sleep are no part of the run.
func TestLongSleepInChild(t *testing.T) {
	s := &script{start: []string{"p"}, end: 40 * 24 * time.Hour, respond: ok}
	r, _ := remote(t, "bursts")
	if rep := play(r, s); !rep.Clean() {
		t.Errorf("the run ended badly: %+v", rep)
	}
}
