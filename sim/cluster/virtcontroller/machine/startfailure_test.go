package machine

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestStartBackoff: kubevirt-behaviour A.5, "n=1 10–15 s; 2 40–60; 3 90–135; 4
// 160–240; 5 250–300; ≥6 300 s": no draw is outside, and both ends are drawn.
func TestStartBackoff(t *testing.T) {
	for _, c := range []struct{ n, least, most int }{
		{1, 10, 15}, {2, 40, 60}, {3, 90, 135}, {4, 160, 240}, {5, 250, 300}, {6, 300, 300}, {20, 300, 300},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		least, most := 1000, 0
		for range 20000 {
			d := startBackoff(c.n, random)
			least, most = min(least, d), max(most, d)
		}
		if least != c.least || most != c.most {
			t.Errorf("n=%d: want %d to %d s, found %d to %d", c.n, c.least, c.most, least, most)
		}
	}
}

// TestStartBackoffLeft: what is left has whole seconds, so that the start is in
// the second that the timestamp names.
func TestStartBackoffLeft(t *testing.T) {
	vm := map[string]any{"status": map[string]any{"startFailure": map[string]any{"retryAfterTimestamp": "2030-01-01T00:00:10Z"}}}
	at := func(offset time.Duration) time.Time { return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC).Add(offset) }
	for _, c := range []struct {
		name string
		vm   map[string]any
		now  time.Time
		want time.Duration
	}{
		{"no failure", map[string]any{}, at(0), 0},
		{"before", vm, at(2500 * time.Millisecond), 8 * time.Second},
		{"in the last second", vm, at(9999 * time.Millisecond), time.Second},
		{"then", vm, at(10 * time.Second), 0},
		{"later", vm, at(time.Minute), 0},
	} {
		if got := startBackoffLeft(c.vm, c.now); got != c.want {
			t.Errorf("%s: want %s, found %s", c.name, c.want, got)
		}
	}
}
