package conformance

import "strings"

// A knownDifference is one that we accept, and why.
type knownDifference struct {
	// where is a part of the names of cases.
	where string
	// path is a part of the path of the difference.
	path   string
	reason string
}

var knownDifferences = []knownDifference{}

// known finds the entry of the list that a difference is covered by, or -1.
func known(name string, d difference) int {
	for i, k := range knownDifferences {
		if strings.Contains(name, k.where) && strings.Contains(d.path, k.path) {
			return i
		}
	}
	return -1
}
