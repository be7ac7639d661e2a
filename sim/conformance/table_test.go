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
