// Package report turns results into text: a table, a matrix, JSON, JUnit XML.
// It knows results only: whoever has run something fills them in.
//
// All writers are pure: the same results give the same bytes, in the order of
// the results given.
package report

import "time"

// Verdicts of a run, as Verdict and Expected hold them.
const (
	Pass = "pass"
	Fail = "fail"
)

// What a run's Status may say. A leak and a panic are findings that a scenario
// may expect; a run that is nondeterministic or hangs never has a verdict that
// counts.
const (
	Nondeterministic = "nondeterministic"
	Hung             = "hung"
	Leak             = "leak"
	Panic            = "panic"
)

// A Check is the outcome of one thing that had to hold.
type Check struct {
	Name    string
	OK      bool
	Message string        // what was expected and what was found; may have several lines
	At      time.Duration // virtual time since the start of the run
	// Where the check is written down; Line and Column count from 1, File is
	// empty for checks that every run makes by itself.
	File         string
	Line, Column int
}

// A Result is the outcome of one run: one scenario with one variant.
type Result struct {
	Scenario, Path, Controller, Variant string

	Verdict, Expected string // Pass or Fail
	// Unexpected says why the verdict differs from the one written down. It may
	// be set although Verdict equals Expected: red, but by another check.
	Unexpected string

	Hash           uint64 // of all that was observed
	VirtualSeconds float64
	Steps          int
	Checks         []Check

	Status string // empty, or one of the constants
	Detail string // a stack, or what the watchdog saw; may have several lines
	Replay string // the command that repeats the run
	Value  string // what stands in a matrix instead of the colour, if it is not empty
	// Schedule is what was perturbed beyond what the scenario says, a line each: of
	// a failure that a search found, the shortest.
	Schedule []string
}

// AsExpected reports whether the run went as it is written down.
func (r Result) AsExpected() bool {
	switch r.Status {
	case Nondeterministic, Hung:
		return false
	}
	return r.Unexpected == "" && r.Verdict == r.Expected
}

// Green reports whether everything held, whatever was expected.
func (r Result) Green() bool {
	if r.Verdict != Pass || r.Status != "" {
		return false
	}
	for _, c := range r.Checks {
		if !c.OK {
			return false
		}
	}
	return true
}

func allAsExpected(rs []Result) bool {
	for _, r := range rs {
		if !r.AsExpected() {
			return false
		}
	}
	return true
}
