package check

import (
	"errors"
	"fmt"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/expr"
)

// always and never look at every write of the kinds that they read.

type always struct {
	*compiled
	violation *Result
}

func (c *always) update(m *Monitor, at time.Duration, step *engine.Step) {
	s := &m.slots[c.expr]
	if s.now || c.violation != nil {
		return
	}
	head := "not true " + when(at, step)
	if s.err != nil {
		head += ": " + s.err.Error()
	}
	r := c.fails(at, append([]string{head}, m.valueLines(c.expr)...)...)
	r.After = pointOf(step)
	c.violation = &r
}

func (c *always) finish(_ *Monitor, t *engine.Trace) Result {
	if c.violation != nil {
		return *c.violation
	}
	return c.holds(t.End, "true at every write")
}

type never struct {
	*compiled
	applied   bool
	violation *Result
}

func (c *never) update(m *Monitor, at time.Duration, step *engine.Step) {
	s := &m.slots[c.expr]
	c.applied = c.applied || s.applied()
	if !s.now || c.violation != nil {
		return
	}
	r := c.fails(at, append([]string{"true " + when(at, step)}, m.valueLines(c.expr)...)...)
	r.After = pointOf(step)
	c.violation = &r
}

func (c *never) finish(m *Monitor, t *engine.Trace) Result {
	switch {
	case c.violation != nil:
		return *c.violation
	case !c.applied:
		err := m.slots[c.expr].err
		lines := []string{fmt.Sprintf("vacuous: it could not be evaluated once; at the end of the run %v", err)}
		if isAbsent(err) {
			lines = append(lines, "if the object need not exist, say so: OBJECT != null && ...")
		}
		return c.fails(t.End, lines...)
	}
	return c.holds(t.End, "true at no write")
}

// when says at which moment of the run something was found.
func when(at time.Duration, step *engine.Step) string {
	if step == nil {
		return "at the start"
	}
	return fmt.Sprintf("at %s, after %s", FormatTime(at), step.Point)
}

func pointOf(step *engine.Step) engine.Point {
	if step == nil {
		return engine.Point{}
	}
	return step.Point
}

func isAbsent(err error) bool {
	var absent *expr.Absent
	return errors.As(err, &absent)
}
