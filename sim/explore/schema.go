package explore

import (
	_ "embed"
	"slices"
)

//go:embed report.schema.json
var reportSchema []byte

// JSONSchema is the JSON schema of a list of reports, as the command writes it.
func JSONSchema() []byte { return slices.Clone(reportSchema) }
