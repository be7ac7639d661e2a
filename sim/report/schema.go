package report

import (
	_ "embed"
	"slices"
)

//go:embed results.schema.json
var resultsSchema []byte

// JSONSchema is the JSON schema of what JSON writes.
func JSONSchema() []byte { return slices.Clone(resultsSchema) }
