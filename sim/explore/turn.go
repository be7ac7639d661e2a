package explore

import (
	"slices"

	"github.com/vmreplay/vmreplay/sim/check"
)

// turnOf tells apart runs in which every key ends as it does in the written order,
// and something is wrong all the same: the work on a key took another turn before.
// Of the keys it finds the one that explains most, and what was logged of it last
// that is not logged in the written order; or else, of what had time to come, what
// is logged there first and was not in the run.
func (p *Player) turnOf(fates []check.Fate, about subject) (turned *check.Fate, why string) {
	for i := range fates {
		f := &fates[i]
		line := leaves(f.Said, p.written.said[keyOf(*f)], about != "")
		if line != "" && (turned == nil || about.worse(f, turned)) {
			turned, why = f, line
		}
	}
	return turned, why
}

// leaves is where the lines leave the written ones; empty if they do not.
func leaves(said, written []string, complete bool) string {
	lines := make([]string, len(said))
	for i, line := range said {
		lines[i] = normalize(line)
	}
	for _, line := range slices.Backward(lines) {
		if !slices.Contains(written, line) {
			return line
		}
	}
	if !complete {
		return ""
	}
	for _, line := range written {
		if !slices.Contains(lines, line) {
			return "never: " + line
		}
	}
	return ""
}
