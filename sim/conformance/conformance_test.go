//go:build conformance

package conformance

import (
	"flag"
	"fmt"
	"regexp"
	"testing"
)

var only = flag.String("case", "", "run only the cases whose names match this regular expression")

// TestCases runs the table against both servers.
func TestCases(t *testing.T) {
	wanted, err := regexp.Compile(*only)
	if err != nil {
		t.Fatal(err)
	}
	reference, ours := realServer(t), simulated(t)
	used := map[int]bool{}
	for i, c := range cases {
		if !wanted.MatchString(c.name) {
			continue
		}
		ok := t.Run(c.name, func(t *testing.T) {
			a := transcriptOf(t, reference, c, namespaceOf(i))
			b := transcriptOf(t, ours, c, namespaceOf(i))
			for _, d := range differences(a, b) {
				if k := known(c.name, d); k >= 0 {
					used[k] = true
					continue
				}
				t.Errorf("%s", d)
			}
		})
		closing.count("cases", ok)
	}
	for i, k := range knownDifferences {
		if !used[i] && *only == "" {
			t.Errorf("known difference %q, %q never appeared: take it off the list", k.where, k.path)
		}
	}
	closing.add("known differences", fmt.Sprint(len(knownDifferences)))
	for _, k := range knownDifferences {
		closing.add("  "+k.where, k.path+": "+k.reason)
	}
}
