package scenario_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestValues: objects hold what apimachinery makes of the same JSON.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		name string
		yaml string
		want any
	}{
		{"whole number", "5", int64(5)},
		{"negative number", "-5", int64(-5)},
		{"largest int64", "9223372036854775807", int64(9223372036854775807)},
		{"beyond int64", "9223372036854775808", float64(9223372036854775808)},
		{"beyond uint64", "18446744073709551616", float64(18446744073709551616)},
		{"fraction", "0.5", 0.5},
		{"fraction of nothing", "1.0", 1.0},
		{"exponent", "1e3", 1000.0},
		{"hexadecimal", "0x10", int64(16)},
		{"boolean", "true", true},
		{"yes is text", "yes", "yes"},
		{"off is text", "off", "off"},
		{"nothing", "~", nil},
		{"empty", "", nil},
		{"timestamp is text", "2000-01-01T00:00:00Z", "2000-01-01T00:00:00Z"},
		{"date is text", "2000-01-01", "2000-01-01"},
		{"quoted number", "'5'", "5"},
		{"tagged text", "!!str 5", "5"},
		{"duration is text", "5s", "5s"},
		{"empty list", "[]", []any{}},
		{"empty mapping", "{}", map[string]any{}},
		{"nested", "[{a: [1, b]}]", []any{map[string]any{"a": []any{int64(1), "b"}}}},
		{"date as a field", "{2000-01-01: 1}", map[string]any{"2000-01-01": int64(1)}},
		{"merged", "{<<: {a: 1, b: 1}, b: 2}", map[string]any{"a": int64(1), "b": int64(2)}},
		{"merged from several", "{<<: [{a: 1}, {a: 2, b: 2}]}", map[string]any{"a": int64(1), "b": int64(2)}},
		{"alias", "[&x {a: 1}, *x]", []any{map[string]any{"a": int64(1)}, map[string]any{"a": int64(1)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			object := "{apiVersion: v1, kind: Node, metadata: {name: a}, x: " + c.yaml + "}"
			s, err := load(t, with(base, "given: {objects: ["+object+"]}"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, s.Given.Objects[0].Content["x"]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
