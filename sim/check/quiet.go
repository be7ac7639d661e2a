package check

import (
	"fmt"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// quiet is decided at the end, from the writes of the trace.
type quiet struct{ *compiled }

func (c *quiet) update(*Monitor, time.Duration, *engine.Step) {}

func (c *quiet) finish(m *Monitor, t *engine.Trace) Result {
	from := instant{c.Quiet.From.Offset <= t.End, c.Quiet.From.Offset}
	if c.event >= 0 {
		from = m.events[c.event]
	}
	if !from.known {
		return c.fails(t.End, c.noInstant(t.End))
	}
	var writes []int
	for i := range t.Steps {
		if s := &t.Steps[i]; s.At > from.at && c.writes(s) {
			writes = append(writes, i)
		}
	}
	if len(writes) == 0 {
		return c.holds(t.End, fmt.Sprintf("no write after %s", FormatTime(from.at)))
	}
	first, last := &t.Steps[writes[0]], &t.Steps[writes[len(writes)-1]]
	key, n := mostFrequent(t.Steps, writes)
	return c.fails(first.At,
		fmt.Sprintf("%s at %s writes after %s", first.Point, FormatTime(first.At), FormatTime(from.at)),
		fmt.Sprintf("  %d writes until %s, %d of them: %s", len(writes), FormatTime(last.At), n, nameOf(key)))
}

// writes tells the steps that break the quiet: requests that write, even if in
// vain, and whatever else committed a change. What the timeline does is the
// scenario's own doing.
func (c *quiet) writes(s *engine.Step) bool {
	process := s.Point.Process
	if process == user || s.Point.Verb == engine.VerbDo || c.Quiet.Process != "" && c.Quiet.Process != process {
		return false
	}
	return isWrite(s.Point.Verb) || len(s.Changes) > 0
}
