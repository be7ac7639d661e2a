package check

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// sometimes is for searches: it notes whether the condition was ever true. No run
// fails by it; a search tells if it was true in none.
type sometimes struct {
	*compiled
	reached bool
	at      time.Duration
}

func (c *sometimes) update(m *Monitor, at time.Duration, _ *engine.Step) {
	if !c.reached && m.slots[c.expr].now {
		c.reached, c.at = true, at
	}
}

func (c *sometimes) finish(_ *Monitor, t *engine.Trace) Result {
	if c.reached {
		return c.holds(c.at, "true at "+FormatTime(c.at))
	}
	r := c.holds(t.End, "not true in this order of events")
	r.Vacuous = true
	return r
}
