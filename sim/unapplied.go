package sim

import (
	"fmt"
	"slices"

	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/nearest"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// addUnapplied fails a run whose schedule names points at which nothing was
// changed, where the first of them is written.
func (w *World) addUnapplied(results []check.Result) []check.Result {
	left := w.Engine.Unapplied()
	if len(left) == 0 || w.Engine.Stopped().Cause != "" || w.Story.Grace > 0 {
		return results
	}
	r := check.Result{Name: CheckSchedule, Message: "nothing was perturbed at:", At: w.Engine.Trace().End, Pos: w.Story.Pos}
	if entry := w.entry(left[0]); entry != nil {
		r.Pos = entry.Pos
	}
	for _, point := range left {
		r.Message += "\n" + point
		if w.bound == 0 { // a search tells of none, and has many
			r.Message += ": " + w.whyNot(point)
		}
	}
	return append(results, r)
}

// entry is what the file has for a point; nil for what is only in the options.
func (w *World) entry(point string) *scenario.Perturbation {
	i := slices.IndexFunc(w.Story.Schedule, func(p scenario.Perturbation) bool { return p.Point == point })
	if i < 0 {
		return nil
	}
	return &w.Story.Schedule[i]
}

// whyNot says why nothing was changed at a point: it never came, or what was to be
// done to it cannot be.
func (w *World) whyNot(point string) string {
	steps := w.Engine.Trace().Steps
	named := func(name string) *engine.Step {
		i := slices.IndexFunc(steps, func(s engine.Step) bool { return s.Point.String() == name })
		if i < 0 {
			return nil
		}
		return &steps[i]
	}
	came := named(point)
	if came == nil {
		return neverCame(point, steps)
	}
	text := fmt.Sprintf("came at %s, and what should be done to it changes nothing there", check.FormatTime(came.At))
	theft := engine.Point{Process: engine.User, Verb: engine.VerbSteal, Kind: "Lease", Object: "of " + came.Point.Process, N: 1}
	if s := named(theft.String()); s != nil && s.Outcome != "ok" {
		text += ": " + s.Outcome
	}
	return text
}

func neverCame(point string, steps []engine.Step) string {
	points := make([]string, len(steps))
	for i := range steps {
		points[i] = steps[i].Point.String()
	}
	if near := nearest.Word(point, points); near != "" {
		return fmt.Sprintf("never came (did you mean %q?)", near)
	}
	return "never came (vmreplay show --points prints those that do)"
}
