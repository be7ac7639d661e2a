package sim

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A clock is one informerClock of a story in a run.
type clock struct {
	scenario.InformerClock
	rule     *engine.Rule
	released bool
}

// start sets a lag, and plans the ends of a hold that are offsets.
func (c *clock) start(e *engine.Engine) {
	if c.Lag != nil {
		c.rule = e.Lag(c.Process, c.Kind, c.Object, *c.Lag)
		return
	}
	c.reach(e, "hold", c.Hold.From, c.hold)
	if c.Hold.Until != nil {
		c.reach(e, "release", *c.Hold.Until, c.release)
	}
}

// reach plans a change of the clock for an instant that is an offset. A hold
// from the very start is there before the first event can be in line.
func (c *clock) reach(e *engine.Engine, verb string, at scenario.Instant, change func(*engine.Engine)) {
	switch {
	case at.Event != "":
	case at.Offset == 0:
		change(e)
	default:
		c.plan(e, verb, at.Offset, change)
	}
}

func (c *clock) plan(e *engine.Engine, verb string, after time.Duration, change func(*engine.Engine)) {
	p := engine.Point{Process: engine.InformerClock, Verb: verb, Kind: c.Kind, Object: c.Object, Detail: "of " + c.Process}
	e.After(p, after, func() engine.Outcome {
		change(e)
		return engine.Outcome{Text: "ok"}
	})
}

// happened moves the clock at an event of the timeline.
func (c *clock) happened(e *engine.Engine, event string) {
	if c.Hold == nil {
		return
	}
	if c.Hold.From.Event == event && c.rule == nil {
		c.hold(e)
	}
	if c.Hold.Until != nil && c.Hold.Until.Event == event {
		c.release(e)
	}
}

func (c *clock) hold(e *engine.Engine) { c.rule = e.Hold(c.Process, c.Kind, c.Object) }

func (c *clock) release(e *engine.Engine) {
	if c.rule != nil && !c.released {
		c.released = true
		e.Release(c.rule)
	}
}

func (c *clock) matched() bool { return c.rule != nil && c.rule.Matched() }
