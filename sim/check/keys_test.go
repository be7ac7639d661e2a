package check

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/engine"
)

func TestKeysTellWhatWasDropped(t *testing.T) {
	trace := droppedStory()
	keys := Keys(trace)
	var k *Key
	for i := range keys {
		if keys[i].Name == "default/migration" {
			k = &keys[i]
		}
	}
	if k == nil || !k.Dropped || len(k.Attempts) != 2 {
		t.Fatalf("expected a dropped key of two attempts, found %+v", keys)
	}
	var missed []string
	for _, i := range k.Missed {
		missed = append(missed, trace.Steps[i].Point.Object)
	}
	// The first of each object, as in the words of Dropped.
	if diff := cmp.Diff([]string{"default/target", "node-b"}, missed); diff != "" {
		t.Errorf("missed deliveries (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(keys, Keys(trace)); diff != "" {
		t.Errorf("a second time differs:\n%s", diff)
	}
}

func TestKeysTellTheBackOff(t *testing.T) {
	var y story
	y.queue(0, "a", engine.QueueAdd, engine.QueueGet, engine.QueueRateLimited, engine.QueueDone)
	y.queue(5*ms, "a", engine.QueueGet, engine.QueueRateLimited, engine.QueueDone)
	y.queue(15*ms, "a", engine.QueueGet, engine.QueueForget, engine.QueueDone)
	y.queue(s, "a", engine.QueueAdd, engine.QueueGet)
	y.End = 2 * s
	keys := Keys(&y.Trace)
	if len(keys) != 1 {
		t.Fatalf("expected one key, found %d", len(keys))
	}
	type row struct {
		Start, End, Delay time.Duration
		Running           bool
	}
	var got []row
	for _, a := range keys[0].Attempts {
		got = append(got, row{a.Start, a.End, a.Delay, a.Running})
	}
	want := []row{{0, 0, 0, false}, {5 * ms, 5 * ms, 5 * ms, false}, {15 * ms, 15 * ms, 10 * ms, false}, {s, 2 * s, 0, true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	if keys[0].Dropped {
		t.Error("a key in work is not dropped")
	}
}
