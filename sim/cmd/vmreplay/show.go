package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/timeline"
)

func (a *app) showCommand() *cobra.Command {
	var s selection
	var brief, points bool
	var tree treeFlags
	c := &cobra.Command{
		Use:   "show PATH --variant V",
		Short: "print the timeline of one run",
		Long: `show replays one scenario under one variant and prints what happened: virtual
time, who, what, which object, what each cache saw and how long after the server
had it, what each write changed, what went through the queues, what was logged;
and below it the verdict.`,
		Example: `  vmreplay show scenarios/vmim/target-pod-not-created.yaml --variant none`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, paths []string) error {
			o := timeline.Options{Notes: !brief && !points, Fields: !brief, Points: points}
			if tree.dir != "" {
				return a.runTree(&tree, paths, s.variant, func(cells []cell) error { return a.showTree(cells, &s, o) })
			}
			if err := s.check(); err != nil {
				return err
			}
			stories, err := load(paths)
			if err != nil {
				return err
			}
			if len(stories) != 1 {
				return fmt.Errorf("%s: show takes one scenario, found %d: name a file", paths[0], len(stories))
			}
			if !slices.Contains(stories[0].Variants(), s.variant) {
				return unknown("--variant", "variant", s.variant, stories[0].Variants())
			}
			return a.show(cell{story: stories[0], variant: s.variant}, &s, o)
		},
	}
	c.Flags().StringVar(&s.variant, "variant", "", "the variant of the controller (required)")
	tree.flags(c.Flags())
	c.Flags().Uint64Var(&s.seed, "seed", 1, "decides all that is random in a run")
	c.Flags().BoolVar(&brief, "brief", false, "one line a step: no queues, logs and fields")
	c.Flags().BoolVar(&points, "points", false, "print the names of the decisions, for a scenario's schedule")
	if err := c.MarkFlagRequired("variant"); err != nil {
		panic(err)
	}
	a.volume(c.Flags(), "print the timeline and not the verdict below it", "")
	s.complete(c)
	return c
}

// showTree shows the one scenario that was named.
func (a *app) showTree(cells []cell, s *selection, o timeline.Options) error {
	if len(cells) != 1 {
		return fmt.Errorf("show takes one scenario, found %d: name a file", len(cells))
	}
	return a.show(cells[0], s, o)
}

func (a *app) show(c cell, s *selection, o timeline.Options) error {
	o.Width = a.tableOptions(false).Width
	r := sim.Judge(a.t, c.story, c.variant, sim.Options{Seed: s.seed, Runner: c.runner, Second: c.alone})
	if err := timeline.Print(a.out, r.Trace, o); err != nil {
		return err
	}
	result := toReport(r)
	result.Replay += c.flags
	return a.finish([]report.Result{result}, a.verdictBelow)
}

// verdictBelow writes what stands below a timeline.
func (a *app) verdictBelow(w io.Writer, rs []report.Result) error {
	if a.quiet {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return report.Table(w, rs, a.tableOptions(true))
}
