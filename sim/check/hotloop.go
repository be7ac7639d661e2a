package check

import (
	"fmt"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// hotWindow is what the engine's limit of requests of one name counts over.
const hotWindow = time.Second

// HotLoop explains a run that the engine stopped because a limit was exceeded:
// which decision was repeated, how often and when. That is the one that hit the
// limit of its name, or else the commonest in the densest second of the run.
// Deliveries do not count: they are what a loop causes.
func HotLoop(t *engine.Trace, stop engine.Stop) string {
	if stop.Point.Verb == engine.VerbTake {
		return fmt.Sprintf("%s: takes %s from its queue %s again and again, and asks for nothing: stopped at %s",
			stop.Point.Process, stop.Point.Object, stop.Point.Kind, FormatTime(t.End))
	}
	if stop.Cause == engine.StopBudget && stop.Text != "" {
		return fmt.Sprintf("%s: %s, the last at %s", stop.Point.Process, stop.Text, FormatTime(t.End))
	}
	busy := indexes(t.Steps, func(p engine.Point) bool { return p.Verb != engine.VerbDeliver })
	if len(busy) == 0 {
		return fmt.Sprintf("the run was stopped at %s after %d deliveries and nothing else", FormatTime(t.End), len(t.Steps))
	}
	key := hotKey(t.Steps, busy, stop)
	all := indexes(t.Steps, func(p engine.Point) bool { return unnumbered(p) == key })
	var lines []string
	if stop.Cause == engine.StopBudget {
		lines = append(lines, fmt.Sprintf("the run took more than its %d steps; what it did most in its densest second:", len(t.Steps)))
	}
	if w := densest(t.Steps, all, hotWindow); w.len() > 0 {
		first, last := t.Steps[all[w.from]].At, t.Steps[all[w.to-1]].At
		lines = append(lines, fmt.Sprintf("%s: %d times between %s and %s", nameOf(key), w.len(), FormatTime(first), FormatTime(last)))
	}
	everywhere, total := mostFrequent(t.Steps, busy)
	lines = append(lines, fmt.Sprintf("  commonest in the whole run: %s: %d times, of %d decisions", nameOf(everywhere), total, len(busy)))
	return joinLines(lines...)
}

func hotKey(steps []engine.Step, busy []int, stop engine.Stop) engine.Point {
	if stop.Cause == engine.StopHotLoop {
		return unnumbered(stop.Point)
	}
	w := densest(steps, busy, hotWindow)
	key, _ := mostFrequent(steps, busy[w.from:w.to])
	return key
}
