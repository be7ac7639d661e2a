// Package schematest holds JSON documents against the schemas that are published
// for them. It is for tests, and knows nothing of what the documents are about.
package schematest

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// Check says where a document is not as its schema demands. A field that the
// schema does not know is a mistake, too: it would be undocumented.
func Check(schema, document []byte) error {
	var root map[string]any
	if err := json.Unmarshal(schema, &root); err != nil {
		return fmt.Errorf("the schema is no JSON: %w", err)
	}
	definitions, _ := root["definitions"].(map[string]any)
	closed, err := json.Marshal(closed(root, definitions))
	if err != nil {
		return err
	}
	var s spec.Schema
	if err := json.Unmarshal(closed, &s); err != nil {
		return err
	}
	var content any
	if err := json.Unmarshal(document, &content); err != nil {
		return fmt.Errorf("the document is no JSON: %w", err)
	}
	return validate.AgainstSchema(&s, content, strfmt.Default)
}

// closed is a schema with its definitions put in where they are named (the
// validator follows no references), and without further fields.
func closed(v any, definitions map[string]any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = closed(item, definitions)
		}
		return out
	case map[string]any:
		if name, ok := v["$ref"].(string); ok {
			return closed(definitions[strings.TrimPrefix(name, "#/definitions/")], definitions)
		}
		out := map[string]any{}
		for name, value := range v {
			out[name] = closed(value, definitions)
		}
		if _, given := v["additionalProperties"]; v["type"] == "object" && !given {
			out["additionalProperties"] = false
		}
		delete(out, "definitions")
		return out
	}
	return v
}
