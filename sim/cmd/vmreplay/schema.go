package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/explore"
	"github.com/vmreplay/vmreplay/sim/gate"
	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// schemas are what vmreplay schema can print.
var schemas = map[string]func() []byte{
	"scenario": func() []byte { return scenario.JSONSchema(sim.Catalog()) },
	"results":  report.JSONSchema,
	"matrix":   report.MatrixSchema,
	"explore":  explore.JSONSchema,
	"gate":     gate.JSONSchema,
}

func (a *app) schemaCommand() *cobra.Command {
	names := slices.Sorted(maps.Keys(schemas))
	return &cobra.Command{
		Use:   "schema [" + strings.Join(names, "|") + "]",
		Short: "print the JSON schema of scenarios, for editors, or of what a command writes as JSON",
		Long: `schema prints a JSON schema. An editor that speaks YAML completes fields and names
with that of scenarios. The others are of what --format json writes: results by run
(and by --report json=FILE everywhere), the rest by the command of that name.`,
		Example: `  vmreplay schema > scenario.schema.json
  vmreplay schema results`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			name := "scenario"
			if len(args) > 0 {
				name = args[0]
			}
			schema, known := schemas[name]
			if !known {
				return unknown("schema", "schema", name, names)
			}
			_, err := a.out.Write(schema())
			return err
		},
	}
}
