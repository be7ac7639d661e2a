package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// node is the part of JSON schema that results.schema.json uses.
type node struct {
	Ref         string           `json:"$ref"`
	Type        string           `json:"type"`
	Enum        []string         `json:"enum"`
	Required    []string         `json:"required"`
	Properties  map[string]*node `json:"properties"`
	Items       *node            `json:"items"`
	Definitions map[string]*node `json:"definitions"`
}

// violates says where a value is not as the schema demands. A field that the
// schema does not know is a violation too: it would be undocumented.
func (n *node) violates(root *node, at string, v any) string {
	if n.Ref != "" {
		return root.Definitions[n.Ref[len("#/definitions/"):]].violates(root, at, v)
	}
	switch v := v.(type) {
	case map[string]any:
		return n.violatesObject(root, at, v)
	case []any:
		for i, item := range v {
			if n.Type != "array" {
				return at + ": a list"
			} else if wrong := n.Items.violates(root, fmt.Sprintf("%s[%d]", at, i), item); wrong != "" {
				return wrong
			}
		}
		return ""
	case string:
		if n.Type != "string" || len(n.Enum) > 0 && !slices.Contains(n.Enum, v) {
			return fmt.Sprintf("%s: the text %q", at, v)
		}
	case float64:
		if n.Type != "number" && (n.Type != "integer" || v != float64(int64(v))) {
			return fmt.Sprintf("%s: the number %v", at, v)
		}
	case bool:
		if n.Type != "boolean" {
			return at + ": a boolean"
		}
	default:
		return at + ": null"
	}
	return ""
}

func (n *node) violatesObject(root *node, at string, v map[string]any) string {
	for _, name := range n.Required {
		if _, ok := v[name]; !ok {
			return at + "." + name + ": missing"
		}
	}
	for name, value := range v {
		if n.Properties[name] == nil {
			return at + "." + name + ": not in the schema"
		}
		if wrong := n.Properties[name].violates(root, at+"."+name, value); wrong != "" {
			return wrong
		}
	}
	return ""
}

func TestResultsAreAsTheirSchemaSays(t *testing.T) {
	var schema node
	if err := json.Unmarshal(JSONSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	check := func(rs []Result) string {
		var b bytes.Buffer
		if err := JSON(&b, rs); err != nil {
			return err.Error()
		}
		var v any
		if err := json.Unmarshal(b.Bytes(), &v); err != nil {
			return err.Error()
		}
		return schema.violates(&schema, "$", v)
	}
	full := sample()
	full[0].Schedule = []string{"a point: delayed by 1s"}
	if wrong := check(full); wrong != "" {
		t.Error(wrong)
	}
	rapid.Check(t, func(t *rapid.T) {
		rs := anyResults(t)
		for i := range rs {
			// What a result may say is a matter of its writer, not of the form.
			rs[i].Verdict, rs[i].Expected, rs[i].Status = Pass, Fail, ""
		}
		if wrong := check(rs); wrong != "" {
			t.Fatal(wrong)
		}
	})
}
