package check

import (
	"fmt"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// rate is decided at the end, from the requests of the trace.
type rate struct{ *compiled }

func (c *rate) update(*Monitor, time.Duration, *engine.Step) {}

func (c *rate) finish(_ *Monitor, t *engine.Trace) Result {
	r := c.Rate
	var matched []int
	per := max(r.Per, 1) // a step is alone in no time
	from := 0
	for i := range t.Steps {
		if !matches(r, &t.Steps[i].Point) {
			continue
		}
		matched = append(matched, i)
		at := t.Steps[i].At
		for at-t.Steps[matched[from]].At >= per {
			from++
		}
		if len(matched)-from > r.AtMost {
			return c.exceeded(t, matched[from:])
		}
	}
	if len(matched) == 0 && r.AtMost > 0 {
		return c.fails(t.End, "vacuous: nothing matched, so nothing was limited; write atMost: 0 to demand that")
	}
	most := densest(t.Steps, matched, per)
	return c.holds(t.End, fmt.Sprintf("%d requests, at most %d within %s", len(matched), most.len(), FormatTime(r.Per)))
}

func (c *rate) exceeded(t *engine.Trace, inside []int) Result {
	first, last := &t.Steps[inside[0]], &t.Steps[inside[len(inside)-1]]
	key, n := mostFrequent(t.Steps, inside)
	return c.fails(last.At,
		fmt.Sprintf("%d requests within %s, from %s to %s; at most %d are allowed",
			len(inside), FormatTime(c.Rate.Per), FormatTime(first.At), FormatTime(last.At), c.Rate.AtMost),
		fmt.Sprintf("  %d of them: %s", n, nameOf(key)),
		fmt.Sprintf("  the one too many: %s at %s", last.Point, FormatTime(last.At)))
}

func matches(r *scenario.Rate, p *engine.Point) bool {
	return matchesVerb(r.Verb, p.Verb) &&
		(r.Process == p.Process || r.Process == "" && p.Process != user) &&
		(r.Kind == "" || r.Kind == p.Kind) &&
		(r.Object == "" || r.Object == p.Object)
}

func matchesVerb(want, verb string) bool {
	switch want {
	case "":
		return isRequest(verb)
	case "write":
		return isWrite(verb)
	}
	return want == verb
}
