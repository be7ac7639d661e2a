package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim/explore"
)

func (a *app) mergeCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "merge REPORT...",
		Short: "join the reports of the shards of a search",
		Long: `merge reads reports of "vmreplay explore --shard i/n --format json" and prints the
report of the whole. All shards must be of the same search.

Exit codes are those of explore: 0 nothing was found, 1 something was, 2 bad input,
3 a run is nondeterministic or hung.`,
		Example: `  vmreplay merge shard-*.json`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			write, err := a.reportFormat(format)
			if err != nil {
				return err
			}
			var all []*explore.Report
			for _, file := range files {
				reports, err := readReports(file)
				if err != nil {
					return err
				}
				all = append(all, reports...)
			}
			merged, err := explore.Merge(all)
			if err != nil {
				return err
			}
			return conclude(a.out, merged, write)
		},
	}
	c.Flags().StringVar(&format, "format", "table", "table or json")
	completeWords(c, "format", "table", "json")
	return c
}

func readReports(file string) ([]*explore.Report, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	reports, err := explore.ReadReports(text)
	if err != nil {
		return nil, fmt.Errorf("%s: expected a report of vmreplay explore --format json: %w", file, err)
	}
	return reports, nil
}
