package check

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// user is the process name of the timeline in a trace: its requests are the
// scenario's own doing, not the controllers'.
const user = engine.User

// isWrite tells the API verbs that write.
func isWrite(verb string) bool {
	switch verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return true
	}
	return false
}

// isRequest tells the API verbs from the engine's own.
func isRequest(verb string) bool {
	switch verb {
	case "get", "list", "watch":
		return true
	}
	return isWrite(verb)
}

// unnumbered is the name of a decision without its how-manieth: what a loop
// repeats.
func unnumbered(p engine.Point) engine.Point {
	p.N = 0
	return p
}

// nameOf prints an unnumbered point.
func nameOf(p engine.Point) string {
	const none = " #0"
	s := p.String()
	return s[:len(s)-len(none)]
}

// indexes are the steps whose points are wanted, in order.
func indexes(steps []engine.Step, want func(engine.Point) bool) []int {
	var found []int
	for i := range steps {
		if want(steps[i].Point) {
			found = append(found, i)
		}
	}
	return found
}

// A window is a range of steps [from, to) of a list of indexes.
type window struct{ from, to int }

func (w window) len() int { return w.to - w.from }

// mostFrequent finds the commonest name among steps, and how often it occurs;
// of several the first in the alphabet.
func mostFrequent(steps []engine.Step, indexes []int) (engine.Point, int) {
	counts := map[engine.Point]int{}
	for _, i := range indexes {
		counts[unnumbered(steps[i].Point)]++
	}
	var best engine.Point
	for p, n := range counts {
		if n > counts[best] || n == counts[best] && nameOf(p) < nameOf(best) {
			best = p
		}
	}
	return best, counts[best]
}

// densest is the first window shorter than per that holds most of the steps.
func densest(steps []engine.Step, indexes []int, per time.Duration) window {
	var best window
	per = max(per, 1) // a step is alone in no time
	from := 0
	for to := range indexes {
		for steps[indexes[to]].At-steps[indexes[from]].At >= per {
			from++
		}
		if w := (window{from, to + 1}); w.len() > best.len() {
			best = w
		}
	}
	return best
}
