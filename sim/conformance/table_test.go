package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cases is the table.
var cases = slices.Concat(kindCases, appliedKindCases, namedCases, controllerRuntimeCases)

// namespaceOf is the namespace of the n-th case.
func namespaceOf(n int) string { return fmt.Sprintf("case-%03d", n) }

// minimumCases is how many differences of a real server the table must be able
// to find.
const minimumCases = 150

func TestCasesAreWellFormed(t *testing.T) {
	t.Parallel()
	if len(cases) < minimumCases {
		t.Errorf("the table has %d cases: want at least %d", len(cases), minimumCases)
	}
	seen := map[string]bool{}
	for _, c := range cases {
		if c.name == "" || strings.TrimSpace(c.name) != c.name || c.run == nil {
			t.Errorf("case %q: want a name without blanks around it, and something to run", c.name)
		}
		if seen[c.name] {
			t.Errorf("two cases are called %q", c.name)
		}
		seen[c.name] = true
	}
	for _, k := range knownDifferences {
		if k.reason == "" || k.where == "" {
			t.Errorf("known difference %+v: want a case and a reason", k)
		}
	}
}

// TestSimulatedServerRepeatsItself runs all cases twice against fresh servers.
func TestSimulatedServerRepeatsItself(t *testing.T) {
	t.Parallel()
	one, two := simulated(t), simulated(t)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := transcriptOf(t, one, c, namespaceOf(i))
			b := transcriptOf(t, two, c, namespaceOf(i))
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("the same calls gave another transcript (-first +second):\n%s", diff)
			}
			if len(a) == 0 {
				t.Error("the case says nothing: its transcript is empty")
			}
		})
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	body := func(v any) []entry { return []entry{{Call: "GET /x", Code: 200, Body: v}} }
	object := func(more string, v any) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": "a", more: v}}
	}
	for _, tc := range []struct {
		name            string
		real, simulated []entry
		want            []string
	}{
		{"equal", body(object("a", "b")), body(object("a", "b")), nil},
		{"a value", body(object("a", "b")), body(object("a", "c")), []string{"1 GET /x: .metadata.a"}},
		{"absent and empty", body(object("a", map[string]any{})), body(object("b", nil)), nil},
		{"absent and zero", body(object("count", float64(0))), body(object("b", nil)), nil},
		{"a zero that counts", body(object("deletionGracePeriodSeconds", float64(0))), body(object("b", nil)), []string{"1 GET /x: .metadata.deletionGracePeriodSeconds"}},
		{"the code", body(nil), []entry{{Call: "GET /x", Code: 404}}, []string{"1 GET /x: code"}},
		{"the call", body(nil), []entry{{Call: "GET /y", Code: 200}}, []string{"1 GET /x: call"}},
		{"one more", append(body(nil), body(nil)...), body(nil), []string{"entry 2"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, d := range differences(tc.real, tc.simulated) {
				if !strings.Contains(d.String(), d.real) {
					t.Errorf("%q does not say what was found: %q", d, d.real)
				}
				got = append(got, d.path)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("places (-want +got):\n%s", diff)
			}
		})
	}
	if known("no such case", difference{path: "x"}) >= 0 {
		t.Error("the list of known differences covers everything")
	}
}
