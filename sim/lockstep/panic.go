package lockstep

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// bubbles are the runs by the runtime's number of their bubble.
var bubbles sync.Map // uint64 -> *run

// Panicked reports a panic that a library caught in one of a process' own
// goroutines; value is what was recovered. Call it on the goroutine that
// panicked: that is how the run is found. It returns false outside of a run.
func Panicked(value any, stack []byte) bool {
	v, ok := bubbles.Load(currentBubble())
	if !ok {
		return false
	}
	r := v.(*run)
	a := Arrival{Kind: Panic, Process: r.suspect(), Text: fmt.Sprintf("%v\n\n%s", value, stack)}
	return r.inbox.add(posting{Arrival: a})
}

// suspect names the process that a goroutine without a name belongs to. With
// several processes up the stack has to tell which of them it is.
func (r *run) suspect() string {
	r.procs.Lock()
	defer r.procs.Unlock()
	return strings.Join(slices.Sorted(maps.Keys(r.processes)), " or ")
}
