package check

import (
	"fmt"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// eventually waits for its cause, then for the first moment at which the
// condition is true.
type eventually struct {
	*compiled
	cause instant
	truth instant // the first moment from the cause on
}

func (c *eventually) update(m *Monitor, at time.Duration, step *engine.Step) {
	condition := &m.slots[c.expr]
	if c.truth.known && (!c.Eventually.Lasting || condition.now) {
		return
	}
	c.truth = instant{}
	if !c.cause.known {
		c.awaitCause(m, at, step)
	}
	if c.cause.known && !c.truth.known && condition.now {
		c.truth = instant{true, at}
	}
}

// awaitCause looks whether the cause has happened by now. The state before the
// present step counts where the cause is older than the step: it was in force
// at the cause.
func (c *eventually) awaitCause(m *Monitor, at time.Duration, step *engine.Step) {
	before := step != nil && m.slots[c.expr].before
	switch {
	case c.when >= 0:
		c.cause = instant{m.slots[c.when].now, at}
		before = false
	case c.event >= 0:
		c.cause = m.events[c.event]
		// In the event's own step, what counts is the state that it left.
		before = before && step.At != c.cause.at
	default:
		offset := c.offset()
		c.cause = instant{at >= offset, offset}
	}
	if c.cause.known && before && (!c.Eventually.Lasting || m.slots[c.expr].now) {
		c.truth = c.cause
	}
}

func (c *eventually) offset() time.Duration {
	if c.Eventually.Of == nil {
		return 0
	}
	return c.Eventually.Of.Offset
}

// settle takes in what happened after the last update: the state of the end was
// in force all the time since then.
func (c *eventually) settle(m *Monitor, end time.Duration) {
	if c.cause.known || c.when >= 0 {
		return
	}
	if c.event >= 0 {
		c.cause = m.events[c.event]
	} else {
		c.cause = instant{end >= c.offset(), c.offset()}
	}
	if c.cause.known && m.slots[c.expr].now {
		c.truth = c.cause
	}
}

func (c *eventually) finish(m *Monitor, t *engine.Trace) Result {
	c.settle(m, t.End)
	if !c.cause.known {
		return c.vacuous(m, t.End)
	}
	deadline := m.deadline(c.cause.at + c.Eventually.Within)
	if c.truth.known && c.truth.at <= deadline {
		return c.holds(c.truth.at, fmt.Sprintf("true at %s, %s after %s", FormatTime(c.truth.at), FormatTime(c.truth.at-c.cause.at), c.causeText()))
	}
	if m.grace != nil && t.End < deadline {
		// In another order than the written one, the cause may come so late that the
		// run, which lasts until all was healed and its bound is over, says nothing.
		r := c.holds(t.End, fmt.Sprintf("the run ended at %s, before %s", FormatTime(t.End), FormatTime(deadline)))
		r.Vacuous = true
		return r
	}
	decided := min(deadline, t.End)
	lines := []string{c.demand(m, deadline)}
	if c.Eventually.Lasting {
		lines[0] += "; and it must stay true"
	}
	if t.End < deadline {
		lines[0] += fmt.Sprintf("; the run ended at %s", FormatTime(t.End))
	}
	if c.truth.known {
		lines = append(lines, fmt.Sprintf("true at %s, %s too late", FormatTime(c.truth.at), FormatTime(c.truth.at-deadline)))
	} else {
		lines = append(lines, m.endLines(c.expr)...)
	}
	return c.fails(decided, append(lines, explain(t, decided, m.spec.limiters)...)...)
}

// demand says by when the condition had to be true, and why by then.
func (c *eventually) demand(m *Monitor, deadline time.Duration) string {
	if deadline > c.cause.at+c.Eventually.Within {
		return fmt.Sprintf("not true by %s: %s after all was healed at %s (its cause: %s at %s)", FormatTime(deadline),
			FormatTime(m.grace.Bound), FormatTime(m.grace.Healed), c.causeText(), FormatTime(c.cause.at))
	}
	return fmt.Sprintf("not true within %s of %s at %s, so by %s",
		FormatTime(c.Eventually.Within), c.causeText(), FormatTime(c.cause.at), FormatTime(deadline))
}

// vacuous is the result of a check whose cause never came. In the order that is
// written down, such a check proves nothing and so it fails; in another order
// there may be nothing to demand.
func (c *eventually) vacuous(m *Monitor, end time.Duration) Result {
	if m.grace != nil {
		r := c.holds(end, "its cause never came")
		r.Vacuous = true
		return r
	}
	if c.when < 0 {
		return c.fails(end, c.noInstant(end))
	}
	head := "vacuous: its cause was never true: " + oneLine(m.spec.programs[c.when].Source())
	return c.fails(end, append([]string{head}, m.endLines(c.when)...)...)
}

// noInstant says that the instant that a check counts from never came.
func (c *compiled) noInstant(end time.Duration) string {
	_, _, from := parts(c.Check)
	if c.event >= 0 {
		return fmt.Sprintf("vacuous: the event %q never happened", from.Event)
	}
	return fmt.Sprintf("vacuous: the run ended at %s, before %s", FormatTime(end), FormatTime(from.Offset))
}

func (c *eventually) causeText() string {
	switch {
	case c.when >= 0:
		return oneLine(c.Eventually.OfWhen.Source)
	case c.event >= 0:
		return fmt.Sprintf("event %q", c.Eventually.Of.Event)
	case c.offset() > 0:
		return "the instant " + FormatTime(c.offset())
	}
	return "the start"
}
