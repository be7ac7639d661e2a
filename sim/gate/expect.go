package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/scenario"
)

// Expect is a scenario for a tree with its verdicts spelt out: one for each of
// some sets of patches. The file names those that it cares about:
//
//   - a set that is named is as the file says;
//   - "without-X: [check]" is true of every other set that lacks the patch X, too:
//     each is red by the checks of all the patches that it lacks;
//   - any other set is green.
//
// So a scenario says once which patch owns it, however many other patches there
// are. It fails for a name that is no set of the series. Without a series, every
// patch that the file names is one that the tree lacks.
func Expect(sc *scenario.Scenario, series []Patch, sets []Set) (*scenario.Scenario, error) {
	if len(series) == 0 {
		series = namedPatches(sc)
		sets = slices.Clone(sets)
		for i := range sets {
			sets[i].has = make([]bool, len(series))
		}
	}
	named := map[string][]string{} // red sets, by the patches that they have
	var lacking []rule
	for _, r := range sc.Verdicts.Red {
		set, err := parseSet(series, r.Variant)
		if err != nil {
			return nil, fmt.Errorf("%s:%d:%d: %w", r.Pos.File, r.Pos.Line, r.Pos.Column, err)
		}
		named[set.id()] = r.Checks
		if strings.HasPrefix(r.Variant, without) {
			lacking = append(lacking, rule{slices.Index(set.has, false), r.Checks})
		}
	}
	for _, name := range sc.Verdicts.Green {
		set, err := parseSet(series, name)
		if err != nil {
			p := sc.Verdicts.Pos
			return nil, fmt.Errorf("%s:%d:%d: %w", p.File, p.Line, p.Column, err)
		}
		named[set.id()] = nil
	}
	out := *sc
	out.Verdicts = scenario.Verdicts{Pos: sc.Verdicts.Pos}
	for _, set := range sets {
		checks, ok := named[set.id()]
		if !ok {
			checks = lacked(set, lacking)
		}
		if len(checks) == 0 {
			out.Verdicts.Green = append(out.Verdicts.Green, set.Name)
			continue
		}
		out.Verdicts.Red = append(out.Verdicts.Red, scenario.Red{Variant: set.Name, Checks: checks, Pos: sc.Verdicts.Pos})
	}
	return &out, nil
}

// namedPatches are the patches that a scenario's verdicts name.
func namedPatches(sc *scenario.Scenario) []Patch {
	names := slices.Clone(sc.Verdicts.Green)
	for _, r := range sc.Verdicts.Red {
		names = append(names, r.Variant)
	}
	var all []Patch
	for _, name := range names {
		patch, inverse := strings.CutPrefix(name, without)
		if !inverse {
			if patch, inverse = strings.CutPrefix(name, only); !inverse {
				continue
			}
		}
		if !slices.ContainsFunc(all, func(p Patch) bool { return p.Name == patch }) {
			all = append(all, Patch{Name: patch})
		}
	}
	return all
}

// A rule says by which checks all sets without a patch are red.
type rule struct {
	patch  int
	checks []string
}

func lacked(set Set, rules []rule) []string {
	var checks []string
	for _, r := range rules {
		if !set.has[r.patch] {
			checks = append(checks, r.checks...)
		}
	}
	slices.Sort(checks)
	return slices.Compact(checks)
}

// id tells sets apart by their patches.
func (s Set) id() string { return fmt.Sprint(s.has) }
