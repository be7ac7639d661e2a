package gate

import (
	_ "embed"
	"slices"
)

//go:embed ownership.schema.json
var ownershipSchema []byte

// JSONSchema is the JSON schema of what Ownership.JSON writes.
func JSONSchema() []byte { return slices.Clone(ownershipSchema) }
