package main

import (
	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [scenario|results]",
		Short: "print the JSON schema of scenarios, for editors, or of the JSON results",
		Long: `schema prints a JSON schema. An editor that speaks YAML completes fields and names
with that of scenarios; the one of results is what --format json and --report
json=FILE write.`,
		Example: `  vmreplay schema > scenario.schema.json
  vmreplay schema results`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: []string{"scenario", "results"},
		RunE: func(_ *cobra.Command, args []string) error {
			var text []byte
			switch {
			case len(args) == 0 || args[0] == "scenario":
				text = scenario.JSONSchema(sim.Catalog())
			case args[0] == "results":
				text = report.JSONSchema()
			default:
				return unknown("schema", "schema", args[0], []string{"results", "scenario"})
			}
			_, err := a.out.Write(text)
			return err
		},
	}
}
