package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/report"
)

func (a *app) matrixCommand() *cobra.Command {
	s := selection{variant: all}
	var format, value string
	var o outputs
	c := &cobra.Command{
		Use:   "matrix [PATH...]",
		Short: "print which variant is green on which scenario: what each patch owns",
		Long: `matrix replays each scenario under every variant of its controller and prints a
row a scenario and a column a variant. A variant is a set of patches; a case that
turns green with a patch, and red without it, is owned by that patch.`,
		Example: `  vmreplay matrix scenarios/vmim
  vmreplay matrix scenarios/kvvm --value 'dvm("default/vm").status.phase'
  vmreplay matrix --format json`,
		RunE: func(_ *cobra.Command, paths []string) error {
			table := func(w io.Writer, rs []report.Result) error { return report.Matrix(w, rs, a.tableOptions(false)) }
			write, err := writer(format, formats{"table": table, "json": report.MatrixJSON})
			if err != nil {
				return err
			}
			stories, err := s.stories(paths)
			if err != nil {
				return err
			}
			if value != "" {
				if o.value, err = sim.Conditions().CompileValue(value); err != nil {
					return fmt.Errorf("--value: %w", err)
				}
			}
			if err := o.prepare(); err != nil {
				return err
			}
			return a.conclude(a.play(stories, &s, 1, 1, &o), write, &o)
		},
	}
	c.Flags().StringVar(&s.controller, "controller", "", "only scenarios of this type of controller")
	c.Flags().Uint64Var(&s.seed, "seed", 1, "decides all that is random in a run")
	c.Flags().StringVar(&format, "format", "table", "table or json")
	c.Flags().StringVar(&value, "value", "", "print a field at the end of the run instead of the colour")
	o.flags(c.Flags())
	s.complete(c)
	return c
}
