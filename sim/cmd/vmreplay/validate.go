package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "validate PATH...",
		Short:   "check scenario files without running them",
		Example: `  vmreplay validate scenarios/vmim`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, paths []string) error {
			stories, err := load(paths)
			if err != nil {
				return err
			}
			text := "1 scenario is valid"
			if len(stories) != 1 {
				text = fmt.Sprintf("%d scenarios are valid", len(stories))
			}
			_, err = fmt.Fprintln(a.out, text)
			return err
		},
	}
}
