package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/report/page"
)

func (a *app) runCommand() *cobra.Command {
	var s selection
	var repeat, jobs int
	var format string
	var tree treeFlags
	var o outputs
	c := &cobra.Command{
		Use:   "run [PATH...]",
		Short: "replay scenarios and compare the verdicts with those written down",
		Long: `run replays each scenario under each variant of its controller and compares what
holds with what the scenario says. A run that fails is made a second time; if the
two differ, it is reported as nondeterministic.`,
		Example: `  vmreplay run
  vmreplay run scenarios/vmim/target-pod-not-created.yaml --variant none --verbose
  vmreplay run --variant both --repeat 200 --format json`,
		RunE: func(_ *cobra.Command, paths []string) error {
			write, err := writer(format, formats{"table": a.table(a.verbose), "json": report.JSON, "junit": report.JUnit})
			if err != nil {
				return err
			}
			if err := errors.Join(positive("--repeat", repeat), positive("--jobs", jobs)); err != nil {
				return err
			}
			if tree.dir != "" {
				return a.runTree(&tree, paths, s.set(), func(cells []cell) error {
					if err := o.prepare(); err != nil {
						return err
					}
					return a.conclude(a.playCells(cells, s.seed, repeat, jobs, &o), write, &o)
				})
			}
			stories, err := s.stories(paths)
			if err != nil {
				return err
			}
			if err := o.prepare(); err != nil {
				return err
			}
			return a.conclude(a.play(stories, &s, repeat, jobs, &o), write, &o)
		},
	}
	s.flags(c.Flags())
	tree.flags(c.Flags())
	c.Flags().IntVar(&repeat, "repeat", 1, "make each run this often; all must have the same hash")
	c.Flags().IntVar(&jobs, "jobs", 1, "how many runs go on side by side; the results are the same")
	c.Flags().StringVar(&format, "format", "table", "table, json or junit")
	o.flags(c)
	a.volume(c.Flags(), quietRuns, verboseRuns)
	s.complete(c)
	completeWords(c, "format", "table", "json", "junit")
	return c
}

// A cell is one scenario under one variant.
type cell struct {
	story   *sim.Story
	variant string
	runner  sim.Runner // nil for the controllers that are built in
	alone   sim.Runner // the same, in a process of its own
	flags   string     // what the command that repeats the run needs besides
}

// play makes the runs; the results are in the order of the scenarios and of
// their variants, however many runs go on side by side.
func (a *app) play(stories []*sim.Story, s *selection, repeat, jobs int, o *outputs) []page.Run {
	var cells []cell
	for _, story := range stories {
		for _, variant := range s.variants(story) {
			cells = append(cells, cell{story: story, variant: variant})
		}
	}
	return a.playCells(cells, s.seed, repeat, jobs, o)
}

func (a *app) playCells(cells []cell, seed uint64, repeat, jobs int, o *outputs) []page.Run {
	out := make([]page.Run, len(cells))
	bar := a.progress(len(cells))
	defer bar.end()
	var next atomic.Int64
	var workers sync.WaitGroup
	jobs = min(jobs, len(cells))
	sideBySide(jobs)
	growHeap(packHeapGrowth)
	for range jobs {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(cells)); i = next.Add(1) - 1 {
				run := sim.Options{Seed: seed, Runner: cells[i].runner, Second: cells[i].alone}
				out[i] = o.toRun(a.judge(cells[i], o.options(run), repeat))
				out[i].Result.Replay += cells[i].flags
				bar.add()
			}
		})
	}
	workers.Wait()
	return out
}

func (a *app) judge(c cell, o sim.Options, repeat int) *sim.Result {
	r := sim.Judge(a.t, c.story, c.variant, o)
	for i := 1; i < repeat && r.Status == sim.Judged; i++ {
		r = sim.Confirm(r, sim.Run(a.t, c.story, c.variant, o))
	}
	return r
}

// conclude prints the results, writes the reports and chooses the exit code.
func (a *app) conclude(runs []page.Run, write func(io.Writer, []report.Result) error, o *outputs) error {
	// The files first: whoever reads the table may have seen enough (head -1).
	told, unwritten := a.write(o, runs)
	code := a.finish(results(runs), write)
	if _, isCode := errors.AsType[exit](code); code != nil && !isCode {
		return errors.Join(code, unwritten)
	}
	told()
	if unwritten != nil {
		return unwritten
	}
	return code
}

// finish writes the results and chooses the exit code.
func (a *app) finish(rs []report.Result, write func(io.Writer, []report.Result) error) error {
	if err := write(a.out, rs); err != nil {
		return err
	}
	switch {
	case slices.ContainsFunc(rs, func(r report.Result) bool {
		return r.Status == report.Hung || r.Status == report.Nondeterministic
	}):
		return exit(exitNoVerdict)
	case slices.ContainsFunc(rs, func(r report.Result) bool { return !r.AsExpected() }):
		return exit(exitUnexpected)
	}
	return nil
}

type formats map[string]func(io.Writer, []report.Result) error

// writer finds the format that --format names.
func writer(name string, known formats) (func(io.Writer, []report.Result) error, error) {
	if w, ok := known[name]; ok {
		return w, nil
	}
	var names []string
	for n := range known {
		names = append(names, n)
	}
	slices.Sort(names)
	return nil, unknown("--format", "format", name, names)
}

// positive checks a flag that is a count.
func positive(flag string, n int) error {
	if n < 1 {
		return fmt.Errorf("%s: expected a number from 1 on, found %d", flag, n)
	}
	return nil
}
