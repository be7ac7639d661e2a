package main

import (
	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/explore"
	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/report/page"
)

// findingRuns are the runs that the reports of a search show: the written order,
// and of each finding its shortest schedule, played once more.
func (a *app) findingRuns(s start, h *hunt, found *explore.Report) []page.Run {
	o := h.reports.options(sim.Options{Seed: h.seed, Bound: h.bound})
	flags := ""
	if s.tree != nil {
		var err error
		if o.Runner, err = s.tree.Runner(h.variant); err != nil {
			panic("the set of patches that was searched is built: " + err.Error())
		}
		flags = s.tree.Flags
	}
	// What the story has written down is about its own times; in a search the
	// written order is what it is.
	written := h.reports.toRun(sim.Run(a.t, s.story, h.variant, o))
	written.Expected, written.Unexpected = written.Verdict, ""
	all := []page.Run{written}
	for i := range found.Findings {
		f := &found.Findings[i]
		schedule := perturbations(f.Schedule)
		o.Schedule = schedule
		r := h.reports.toRun(sim.Run(a.t, s.story, h.variant, o), schedule...)
		r.Scenario += ", " + f.ID
		r.Detail = f.Title()
		r.Unexpected = "found by a search: " + f.Cause.Check
		r.Verdict, r.Expected = report.Fail, report.Pass
		if f.File != "" {
			r.Replay = "vmreplay run " + quote(f.File) + " --variant " + h.variant + flags
		} else {
			r.Replay = "" // without the file there is no command that makes just this run
		}
		all = append(all, r)
	}
	return all
}

// perturbations are the entries of a schedule as a run takes them.
func perturbations(entries []explore.Entry) []engine.Perturbation {
	all := make([]engine.Perturbation, len(entries))
	for i := range entries {
		all[i] = entries[i].Perturbation()
	}
	return all
}
