package schematest_test

import (
	"strings"
	"testing"

	"github.com/vmreplay/vmreplay/sim/report/schematest"
)

func TestCheck(t *testing.T) {
	const schema = `{
		"type": "object", "required": ["list"],
		"properties": {"list": {"type": "array", "items": {"$ref": "#/definitions/item"}}, "cells": {"type": "object", "additionalProperties": {"type": "string"}}},
		"definitions": {"item": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "enum": ["a", "b"]}, "n": {"type": "integer", "minimum": 1}}}}}`
	tests := []struct{ name, document, err string }{
		{"good", `{"list": [{"name": "a", "n": 1}, {"name": "b"}], "cells": {"any": "text"}}`, ""},
		{"a field is missing", `{}`, "list"},
		{"a field is missing below a reference", `{"list": [{}]}`, "name"},
		{"an undocumented field", `{"list": [], "more": 1}`, "more"},
		{"an undocumented field below a reference", `{"list": [{"name": "a", "more": 1}]}`, "more"},
		{"a word that is none of those", `{"list": [{"name": "c"}]}`, "list[0].name"},
		{"too small", `{"list": [{"name": "a", "n": 0}]}`, "list[0].n"},
		{"another type", `{"list": [{"name": 1}]}`, "list[0].name"},
		{"another type of a free field", `{"list": [], "cells": {"any": 1}}`, "cells.any"},
		{"null", `{"list": null}`, "list"},
		{"no JSON", `{`, "no JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := schematest.Check([]byte(schema), []byte(test.document))
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("the error is %v, expected %q", err, test.err)
			}
		})
	}
}
