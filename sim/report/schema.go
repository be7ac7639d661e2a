package report

import (
	_ "embed"
	"slices"
)

var (
	//go:embed results.schema.json
	resultsSchema []byte
	//go:embed matrix.schema.json
	matrixSchema []byte
)

// JSONSchema is the JSON schema of what JSON writes.
func JSONSchema() []byte { return slices.Clone(resultsSchema) }

// MatrixSchema is the JSON schema of what MatrixJSON writes.
func MatrixSchema() []byte { return slices.Clone(matrixSchema) }
