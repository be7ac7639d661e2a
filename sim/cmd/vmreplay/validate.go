package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim"
)

func (a *app) validateCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "validate PATH...",
		Short:   "check scenario files without running them",
		Example: `  vmreplay validate scenarios/vmim`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, paths []string) error {
			stories, err := load(paths)
			if err != nil {
				return err
			}
			_, err = io.WriteString(a.out, a.valid(stories))
			return err
		},
	}
	a.volume(c.Flags(), "print only what is wrong", "also name each scenario that is valid")
	c.ValidArgsFunction = completeScenarios
	return c
}

// valid says that stories are valid.
func (a *app) valid(stories []*sim.Story) string {
	if a.quiet {
		return ""
	}
	var b strings.Builder
	if a.verbose {
		for _, s := range stories {
			fmt.Fprintf(&b, "%s: valid, for %d variants of %s\n", onOneLine(s.Pos.File), len(s.Variants()), s.Type())
		}
	}
	if len(stories) == 1 {
		b.WriteString("1 scenario is valid\n")
	} else {
		fmt.Fprintf(&b, "%d scenarios are valid\n", len(stories))
	}
	return b.String()
}
