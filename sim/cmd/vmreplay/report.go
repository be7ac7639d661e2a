package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/expr"
	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/report/files"
	"github.com/vmreplay/vmreplay/sim/report/page"
	"github.com/vmreplay/vmreplay/sim/report/record"
)

// outputs are the reports that a command writes beside what it prints. A command
// has them by flags, prepare before anything is run, and write at its end.
type outputs struct {
	texts []string
	set   files.Set
	value *expr.Program // what matrix --value asks for
}

func (o *outputs) flags(c *cobra.Command) {
	c.Flags().StringArrayVar(&o.texts, "report", nil,
		"write reports: html=FILE, junit=FILE, trace=FILE (for ui.perfetto.dev), markdown=FILE, json=FILE, github; several with commas")
	completeReports(c)
}

// prepare finds mistakes before anything is run.
func (o *outputs) prepare() error {
	var err error
	if o.set, err = files.Parse(o.texts); err == nil {
		err = o.set.Check()
	}
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}

// options adds to the options of a run what the reports need.
func (o *outputs) options(run sim.Options) sim.Options {
	run.Exchanges = o.set.NeedsRecords()
	run.Value = o.value
	return run
}

// write writes the files; told names them.
func (a *app) write(o *outputs, runs []page.Run) (told func(), err error) {
	written, err := o.set.Write(a.err, runs, page.Options{Versions: versions()})
	told = func() {
		for _, path := range written {
			if !a.quiet {
				fmt.Fprintf(a.err, "wrote %s\n", onOneLine(path))
			}
		}
	}
	if err != nil {
		return told, fmt.Errorf("--report: %w", err)
	}
	return told, nil
}

// toRun is a result with all that its reports show. Schedule is what the run was
// perturbed by beyond what its scenario says.
func (o *outputs) toRun(r *sim.Result, schedule ...engine.Perturbation) page.Run {
	out := page.Run{Result: toReport(r)}
	for _, p := range schedule {
		out.Schedule = append(out.Schedule, p.Point+": "+record.Deed(p))
	}
	if o.set.NeedsRecords() && len(r.Trace.Steps) > 0 {
		out.Record = recordOf(r, schedule)
	}
	return out
}

func recordOf(r *sim.Result, schedule []engine.Perturbation) *record.Record {
	s := record.Source{Trace: r.Trace, Checks: r.Checks, Limiters: check.Limiters(r.Story.Scenario), Schedule: schedule}
	for _, p := range r.Story.Schedule {
		s.Schedule = append(s.Schedule, p.Perturbation)
	}
	for _, c := range r.Story.Informers {
		s.Slowed = append(s.Slowed, record.Informer{Process: c.Process, Kind: c.Kind, Object: c.Object})
	}
	for i := range r.Story.Expect {
		s.Unconverged = s.Unconverged || r.Story.Expect[i].Eventually != nil && failed(r, r.Story.Expect[i].Name)
		source := check.Condition(&r.Story.Expect[i])
		if only := r.Story.Expect[i].Variants; source == "" || len(only) > 0 && !slices.Contains(only, r.Variant) {
			continue
		}
		// It was compiled before, when the story was.
		if program, err := sim.Conditions().Compile(source); err == nil {
			s.Conditions = append(s.Conditions, record.Condition{Check: r.Story.Expect[i].Name, Program: program})
		}
	}
	return record.Of(s)
}

func failed(r *sim.Result, name string) bool {
	return slices.ContainsFunc(r.Checks, func(c check.Result) bool { return c.Name == name && !c.OK })
}

// results are those of runs.
func results(runs []page.Run) []report.Result {
	rs := make([]report.Result, len(runs))
	for i, r := range runs {
		rs[i] = r.Result
	}
	return rs
}
