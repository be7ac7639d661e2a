package lockstep_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// What a process says long before it dies is told before, at its instant, although
// an engine that looks ahead is not asked about it.
func TestLastWordsAreTold(t *testing.T) {
	type heard struct {
		At   time.Duration
		Kind lockstep.ArrivalKind
	}
	var got []heard
	engine := engineFunc(func(now time.Duration, arrivals []lockstep.Arrival) lockstep.Turn {
		turn := lockstep.Turn{Until: time.Hour, Lookahead: time.Millisecond}
		if len(got) == 0 {
			turn.Actions = []lockstep.Action{{Kind: lockstep.Start, Process: "p"}}
			got = append(got, heard{now, "begin"})
		}
		for _, a := range arrivals {
			got = append(got, heard{now, a.Kind})
		}
		return turn
	})
	r, _ := remote(t, "speaks and exits")
	rep := r.Run(func(time.Time) lockstep.Engine { return engine }, lockstep.Options{Horizon: time.Hour})
	if !rep.Clean() {
		t.Fatalf("the run ended badly: %+v", rep)
	}
	want := []heard{{0, "begin"}, {time.Second, lockstep.Note}, {time.Second, lockstep.Panic}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the engine heard differs (-want +got):\n%s", diff)
	}
}
