package sim

import (
	"fmt"
	"testing"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Judge plays a story under a variant, and a second time if it fails: a failure
// that does not repeat exactly is no verdict, it is a result of its own.
func Judge(t *testing.T, story *Story, variant string, o Options) *Result {
	first := Run(t, story, variant, o)
	if first.Status != Judged || !first.Red() {
		return first
	}
	if o.Second == nil {
		return Confirm(first, Run(t, story, variant, o))
	}
	o.Runner = o.Second
	r := Confirm(first, Run(t, story, variant, o))
	if r.Status == Nondeterministic {
		r.Detail += "\nor what an earlier run left in a variable of a package: the second run had a process of its own, and with --isolate each has"
	}
	return r
}

// Confirm compares two runs of one story, variant and seed. It returns the first
// one, as Nondeterministic if they differ.
func Confirm(first, second *Result) *Result {
	if second.Status != Judged {
		return second
	}
	if first.Trace.Hash == second.Trace.Hash {
		return first
	}
	first.Status = Nondeterministic
	first.Detail = Difference(first.Trace, second.Trace)
	return first
}

// Difference describes the first step in which two traces part.
func Difference(a, b *engine.Trace) string {
	for i := range max(len(a.Steps), len(b.Steps)) {
		x, y := lineOf(a, i), lineOf(b, i)
		if x != y {
			return fmt.Sprintf("two runs part at step %d:\n  %s\n  %s\na map order, an unseeded random number or a goroutine that did not wait may be the cause", i+1, x, y)
		}
	}
	return "two runs take the same steps and end with different hashes"
}

func lineOf(t *engine.Trace, i int) string {
	if i >= len(t.Steps) {
		return "the run ends here"
	}
	s := &t.Steps[i]
	return fmt.Sprintf("%v %s: %s rv %d", s.At, s.Point, s.Outcome, s.Version)
}
