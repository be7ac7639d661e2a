package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/report"
)

// An Ownership says which patch owns which case.
type Ownership struct {
	Patches  []Owner
	Findings []Finding
	Results  []report.Result
}

// An Owner is a patch and the scenarios whose verdict it changes.
type Owner struct {
	Name, Path string
	// Owns are the scenarios that are green with all patches, and red with all but
	// this one.
	Owns []string
	// Helps are other scenarios that this patch alone turns green, or red.
	Helps []string
	// Judged says that there were runs that could have shown what the patch does.
	Judged bool
}

// Inert says that the patch changes no verdict.
func (o Owner) Inert() bool { return o.Judged && len(o.Owns) == 0 && len(o.Helps) == 0 }

// A Finding is a reason why the gate stays closed.
type Finding struct {
	Check string // "inert-patch", "control", "verdict", "run"
	Text  string
}

// Checks of the gate.
const (
	CheckInert   = "inert-patch" // every patch changes a verdict
	CheckControl = "control"     // no control turns red
	CheckVerdict = "verdict"     // every verdict is as the scenario says
	CheckRun     = "run"         // every run has a verdict
)

// Judge finds the owners and the findings in the results of all sets. controls are
// the names of the scenarios that are controls. Patches named by inert may change
// no verdict; to name one that does is a finding, too: the list must not outlive
// its reason.
func (s *Subject) Judge(results []report.Result, controls, inert []string) (*Ownership, error) {
	for _, name := range inert {
		if !slices.ContainsFunc(s.Patches, func(p Patch) bool { return p.Name == name }) {
			return nil, unknown("--allow-inert: unknown patch", name, s.names())
		}
	}
	o := &Ownership{Results: results}
	for _, r := range results {
		o.judgeRun(r, slices.Contains(controls, r.Scenario))
	}
	for i, p := range s.Patches {
		owner := s.owner(i, results)
		o.Patches = append(o.Patches, owner)
		allowed := slices.Contains(inert, p.Name)
		switch {
		case owner.Inert() && !allowed:
			o.add(CheckInert, "%s changes no verdict: with it and without it every scenario ends the same. Add the scenario that it is for, or allow it with --allow-inert %s", p.Path, p.Name)
		case !owner.Inert() && owner.Judged && allowed:
			o.add(CheckInert, "%s is listed under --allow-inert, but changes the verdict of %s", p.Path, strings.Join(append(owner.Owns, owner.Helps...), ", "))
		}
	}
	return o, nil
}

func (s *Subject) names() []string {
	var all []string
	for _, p := range s.Patches {
		all = append(all, p.Name)
	}
	return all
}

func (o *Ownership) add(check, format string, args ...any) {
	o.Findings = append(o.Findings, Finding{check, fmt.Sprintf(format, args...)})
}

func (o *Ownership) judgeRun(r report.Result, control bool) {
	switch {
	case r.Status == report.Hung || r.Status == report.Nondeterministic:
		o.add(CheckRun, "%s, patch set %s: %s: %s", r.Scenario, r.Variant, r.Status, r.Detail)
	case control && !r.Green():
		o.add(CheckControl, "%s is a control, but red with patch set %s: %s", r.Scenario, r.Variant, failures(r))
	case !r.AsExpected():
		o.add(CheckVerdict, "%s, patch set %s: %s", r.Scenario, r.Variant, r.Unexpected)
	}
}

func failures(r report.Result) string {
	var all []string
	for _, c := range r.Checks {
		if !c.OK {
			all = append(all, c.Name+": "+c.Message)
		}
	}
	return strings.Join(all, "; ")
}

// owner compares the runs with and without one patch.
func (s *Subject) owner(i int, results []report.Result) Owner {
	o := Owner{Name: s.Patches[i].Name, Path: s.Patches[i].Path}
	compare := func(from, to string, list *[]string, known []string) {
		before, after := s.verdicts(from, results), s.verdicts(to, results)
		for _, r := range results {
			b, okB := before[r.Scenario]
			a, okA := after[r.Scenario]
			o.Judged = o.Judged || okB && okA
			if okB && okA && a != b && !slices.Contains(*list, r.Scenario) && !slices.Contains(known, r.Scenario) {
				*list = append(*list, r.Scenario)
			}
		}
	}
	compare(without+o.Name, All, &o.Owns, nil)
	compare(None, only+o.Name, &o.Helps, o.Owns)
	return o
}

// verdicts are the colours of a set's runs, by scenario; the set may be known by
// another name that has the same patches.
func (s *Subject) verdicts(name string, results []report.Result) map[string]bool {
	set, err := parseSet(s.Patches, name)
	if err != nil {
		return nil
	}
	green := map[string]bool{}
	for _, r := range results {
		i := slices.IndexFunc(s.Sets, func(o Set) bool { return o.Name == r.Variant })
		if i >= 0 && s.Sets[i].same(set) {
			green[r.Scenario] = r.Green()
		}
	}
	return green
}
