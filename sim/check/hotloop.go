package check

import (
	"fmt"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// HotLoopName is the name of HotLoop's results.
const HotLoopName = "hot-loop"

// hotWindow is what the engine's limit of requests of one name counts over.
const hotWindow = time.Second

// HotLoop explains a run that exceeded its budget: it names the decision that
// was repeated most often within the run's densest second. Deliveries do not
// count: they are what a loop causes.
func HotLoop(t *engine.Trace) Result {
	r := Result{Name: HotLoopName, At: t.End}
	var busy []int
	for i := range t.Steps {
		if t.Steps[i].Point.Verb != engine.VerbDeliver {
			busy = append(busy, i)
		}
	}
	if len(busy) == 0 {
		r.Message = "the run exceeded its budget, but granted nothing other than deliveries"
		return r
	}
	w := densest(t.Steps, busy, hotWindow)
	inside := busy[w.from:w.to]
	key, n := mostFrequent(t.Steps, inside)
	first, last := &t.Steps[inside[0]], &t.Steps[inside[len(inside)-1]]
	r.At = last.At
	everywhere, total := mostFrequent(t.Steps, busy)
	r.Message = joinLines(
		fmt.Sprintf("%s: %d times between %s and %s, of %d decisions", nameOf(key), n, FormatTime(first.At), FormatTime(last.At), len(inside)),
		fmt.Sprintf("  in the whole run: %s: %d times, of %d decisions", nameOf(everywhere), total, len(busy)))
	return r
}
