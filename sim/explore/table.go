package explore

import (
	"fmt"
	"io"
	"strings"
)

// Table writes reports for a person.
func Table(w io.Writer, reports []*Report) error {
	var b strings.Builder
	for i, r := range reports {
		if i > 0 {
			b.WriteString("\n")
		}
		r.table(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mostLines is how many perturbations that never applied a table lists.
const mostLines = 5

func (r *Report) table(b *strings.Builder) {
	say := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	c := r.Schedules
	say("%s, variant %s: %s", r.Scenario, r.Variant, r.headline())
	part := ""
	if len(r.Shards) < r.Of {
		part = fmt.Sprintf(", shards %s of %d", joinInts(r.Shards), r.Of)
	}
	say("  seed %d, budget %d, depth %d, bound %s%s", r.Seed, r.Budget, r.Depth, r.Bound, part)
	say("  schedules  %d: %d as written, %d with one perturbation, %d pairs, %d of PCT, %d random; %d failed",
		c.Total(), c.Written, c.Singles, c.Pairs, c.PCT, c.Random, c.Red)
	say("  pairs      %d: %d of an order that was there already, %d independent, %d left", r.Pairs.All, r.Pairs.SameOrder, r.Pairs.Independent, r.Pairs.Kept)
	say("  PCT        a schedule meets an order of depth %d with probability 1/(n k^%d) = %.3g at least: n = %d threads, k = %d decisions",
		r.PCT.Depth, r.PCT.Depth-1, r.PCT.Probability, r.PCT.Threads, r.PCT.Decisions)
	say("  coverage   %d of %d decisions perturbed; %d kinds of decision, %d rules that enqueue, %d phases reached",
		r.Coverage.Perturbed, r.Coverage.Points, len(r.Coverage.Decisions), len(r.Coverage.Rules), len(r.Coverage.States))
	if r.Unapplied > 0 {
		say("  unapplied  %d schedules had a perturbation that found nothing to change", r.Unapplied)
	}
	for i, line := range r.NeverApplied {
		if i == mostLines {
			say("    and %d more", len(r.NeverApplied)-mostLines)
			break
		}
		say("    never applied: %s", line)
	}
	if r.Unplayed > 0 {
		say("  unplayed   %d schedules in which an event of the timeline could not happen, with nothing else wrong", r.Unplayed)
	}
	if len(r.Coverage.NeverJudged) > 0 {
		say("  never put to the test: %s", strings.Join(r.Coverage.NeverJudged, ", "))
	}
	if len(r.Coverage.NeverReached) > 0 {
		say("  never true, and should be sometimes: %s", strings.Join(r.Coverage.NeverReached, ", "))
	}
	for i := range r.Findings {
		r.Findings[i].table(say, r.Flags)
	}
	for _, n := range r.NoVerdict {
		say("\n  schedule %d is %s: %s", n.Number, n.Status, n.Detail)
	}
}

func (r *Report) headline() string {
	text := "nothing found"
	if n := len(r.Findings); n == 1 {
		text = "1 cause found"
	} else if n > 1 {
		text = fmt.Sprintf("%d causes found", n)
	}
	if len(r.NoVerdict) > 0 {
		text += fmt.Sprintf(", %d runs without a verdict", len(r.NoVerdict))
	}
	if r.Interrupted {
		text += ", ended early"
	}
	return text
}

func (f *Finding) table(say func(string, ...any), flags string) {
	say("\n  %s", f.Cause)
	say("    %s, first by number %d", plural(f.Runs, "schedule"), f.First)
	if len(f.Story) == 0 {
		say("    the order that is written")
	}
	for _, line := range f.Story {
		say("    - %s", line)
	}
	if f.File != "" {
		say("    vmreplay run %s%s", f.File, flags)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func joinInts(list []int) string {
	var out []string
	for _, i := range list {
		out = append(out, fmt.Sprint(i))
	}
	return strings.Join(out, ", ")
}
