package check

import (
	"fmt"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// stays waits for the first moment at which the condition is true, then for the
// first at which it is not.
type stays struct {
	*compiled
	from  instant
	until instant
	lines []string // about the moment until
	after engine.Point
}

func (c *stays) update(m *Monitor, at time.Duration, step *engine.Step) {
	now := m.slots[c.expr].now
	switch {
	case c.until.known:
	case !c.from.known:
		c.from = instant{now, at}
	case !now:
		c.until = instant{true, at}
		c.after = pointOf(step)
		c.lines = append([]string{when(at, step)}, m.valueLines(c.expr)...)
	}
}

func (c *stays) finish(m *Monitor, t *engine.Trace) Result {
	if !c.from.known && m.grace != nil {
		// In another order than the written one there may be nothing to stay.
		r := c.holds(t.End, "never true, so there was nothing to stay")
		r.Vacuous = true
		return r
	}
	if !c.from.known {
		return c.fails(t.End, append([]string{"never true, so it cannot stay so"}, m.endLines(c.expr)...)...)
	}
	end := t.End
	if c.until.known {
		end = c.until.at
	}
	lasted := end - c.from.at
	demanded := c.Stays.For
	switch {
	case demanded > 0 && lasted >= demanded:
		return c.holds(c.from.at+demanded, fmt.Sprintf("true from %s, for at least %s", FormatTime(c.from.at), FormatTime(demanded)))
	case demanded == 0 && !c.until.known:
		return c.holds(t.End, fmt.Sprintf("true from %s to the end", FormatTime(c.from.at)))
	case !c.until.known:
		return c.fails(t.End, fmt.Sprintf("true from %s, but the run ended at %s, before %s had passed",
			FormatTime(c.from.at), FormatTime(t.End), FormatTime(demanded)))
	}
	c.lines[0] = fmt.Sprintf("true from %s, but only for %s: no longer %s", FormatTime(c.from.at), FormatTime(lasted), c.lines[0])
	r := c.fails(c.until.at, c.lines...)
	r.After = c.after
	return r
}
