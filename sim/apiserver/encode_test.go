package apiserver

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestEncode(t *testing.T) {
	for _, tc := range []struct {
		name string
		v    any
		want string
	}{
		{"null", nil, `null`},
		{"keys are sorted", map[string]any{"b": int64(1), "a": true, "": "x"}, `{"":"x","a":true,"b":1}`},
		{"empty", []any{map[string]any{}, []any{}, map[string]any(nil), []any(nil)}, `[{},[],{},[]]`},
		{"escapes", "a\"\\\n\r\t\x00\x1f/<é\u2028", `"a\"\\\n\r\t\u0000\u001f/<é` + "\u2028" + `"`},
		{"no UTF-8", "a\xffb", `"a` + "\ufffd" + `b"`},
		{"integers", []any{int64(math.MaxInt64), int64(math.MinInt64)}, `[9223372036854775807,-9223372036854775808]`},
		{"floats", []any{0.5, 1e21, 1e-7, 1e20, float64(3)}, `[0.5,1e+21,1e-07,100000000000000000000,3]`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := string(AppendJSON(nil, tc.v)); got != tc.want {
				t.Errorf("want %s, got %s", tc.want, got)
			}
		})
	}
}

func TestEncodeAgreesWithLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := jsonObject(t, "value", 4, true)
		got := AppendJSON(nil, v)
		var back, wanted any
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%v: %s", err, got)
		}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(want, &wanted); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, back); diff != "" {
			t.Fatalf("(-library +ours):\n%s", diff)
		}
	})
}

func TestEqual(t *testing.T) {
	for _, tc := range []struct {
		name            string
		a, b            any
		strict, lenient bool
	}{
		{"same", map[string]any{"a": []any{int64(1)}}, map[string]any{"a": []any{int64(1)}}, true, true},
		{"value", map[string]any{"a": "x"}, map[string]any{"a": "y"}, false, false},
		{"more", map[string]any{"a": "x"}, map[string]any{"a": "x", "b": "y"}, false, false},
		{"less", map[string]any{"a": "x", "b": "y"}, map[string]any{"a": "x"}, false, false},
		{"null is absent", map[string]any{"a": nil}, map[string]any{}, false, true},
		{"an empty list is absent", map[string]any{}, map[string]any{"a": []any{}}, false, true},
		{"null is an empty list", map[string]any{"a": nil}, map[string]any{"a": []any{}}, false, true},
		{"an empty object is there", map[string]any{}, map[string]any{"a": map[string]any{}}, false, false},
		{"kinds of values", map[string]any{"a": map[string]any{}}, map[string]any{"a": []any{}}, false, false},
		{"value and object", "x", map[string]any{}, false, false},
		{"lengths", []any{"a"}, []any{"a", "b"}, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := equal(tc.a, tc.b, false); got != tc.strict {
				t.Errorf("strict: want %v, got %v", tc.strict, got)
			}
			if got := equal(tc.a, tc.b, true); got != tc.lenient {
				t.Errorf("lenient: want %v, got %v", tc.lenient, got)
			}
		})
	}
}
