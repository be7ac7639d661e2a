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
			write, err := writer(format, formats{"table": a.matrix, "json": report.MatrixJSON})
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
	o.flags(c)
	a.volume(c.Flags(), quietRuns, verboseRuns)
	s.complete(c)
	completeWords(c, "format", "table", "json")
	return c
}

// matrix writes the matrix for a person, and then what is not as expected, with
// the command that repeats it.
func (a *app) matrix(w io.Writer, rs []report.Result) error {
	o := a.tableOptions(a.verbose)
	if err := report.Matrix(w, rs, o); err != nil {
		return err
	}
	return report.Explain(w, rs, o)
}
