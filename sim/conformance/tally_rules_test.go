package conformance

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestTally: nothing that was left out is hidden.
func TestTally(t *testing.T) {
	p, q := named(t, "vmim/live-migration/none"), named(t, "vmim/same-node/none")
	p.took, q.took = time.Millisecond, time.Millisecond
	c := newTally("vmim")
	c.add(p, 3*time.Second, true)
	c.add(q, 5*time.Second, false)
	c.leave(p, leftLong)
	c.leave(named(t, "vmim/two-migrations/none"), leftClose)
	want := [][2]string{
		{"scenarios agreed", "1 of 2 runs of vmim, in 2 of its 3 stories; 2 runs left out"},
		{"speed ratio", "4000 for vmim: 8s real, 2ms simulated"},
		{"  left out", "1 runs of vmim that are decided by milliseconds: two-migrations (1)"},
		{"  left out", "1 runs of vmim that take longer than the time given: live-migration (1)"},
	}
	if diff := cmp.Diff(want, c.lines()); diff != "" {
		t.Errorf("lines of the closing table (-want +found):\n%s", diff)
	}
}
