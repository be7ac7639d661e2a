package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/scenario"
)

// ParseAs reads pairs "SET=VARIANT": the set of patches makes the tree behave as
// that variant of a reference controller.
func ParseAs(series []Patch, pairs []string) (map[string]string, error) {
	as := map[string]string{}
	for _, pair := range pairs {
		set, variant, ok := strings.Cut(pair, "=")
		if !ok || variant == "" {
			return nil, fmt.Errorf("--as: expected SET=VARIANT, such as all=both, found %q", pair)
		}
		if _, err := parseSet(series, set); err != nil {
			return nil, fmt.Errorf("--as: %w", err)
		}
		as[set] = variant
	}
	return as, nil
}

// As is a scenario of a reference controller, told of a tree in its place: each
// set of patches is expected to do what the variant does that it stands for. It
// returns the sets that stand for one. variants are those of the scenario's
// controller; a pair that names none of them is an error.
func As(sc *scenario.Scenario, as map[string]string, sets []Set, variants []string) (*scenario.Scenario, []Set, error) {
	var known []Set
	of := map[string]string{} // variant by set
	for _, set := range sets {
		variant, ok := as[set.Name]
		if !ok {
			continue
		}
		if !slices.Contains(variants, variant) {
			return nil, nil, unknown("--as: unknown variant of "+sc.Controllers[0].Type, variant, variants)
		}
		known, of[set.Name] = append(known, set), variant
	}
	out := *sc
	out.Verdicts = verdictsAs(sc, known, of)
	out.Expect = checksAs(sc, known, of)
	return &out, known, nil
}

func verdictsAs(sc *scenario.Scenario, sets []Set, of map[string]string) scenario.Verdicts {
	v := scenario.Verdicts{Pos: sc.Verdicts.Pos}
	for _, set := range sets {
		i := slices.IndexFunc(sc.Verdicts.Red, func(r scenario.Red) bool { return r.Variant == of[set.Name] })
		if i < 0 {
			v.Green = append(v.Green, set.Name)
			continue
		}
		red := sc.Verdicts.Red[i]
		red.Variant = set.Name
		v.Red = append(v.Red, red)
	}
	return v
}

// checksAs restricts checks to sets where the scenario restricts them to variants.
func checksAs(sc *scenario.Scenario, sets []Set, of map[string]string) []scenario.Check {
	var checks []scenario.Check
	for _, c := range sc.Expect {
		if len(c.Variants) == 0 {
			checks = append(checks, c)
			continue
		}
		var only []string
		for _, set := range sets {
			if slices.Contains(c.Variants, of[set.Name]) {
				only = append(only, set.Name)
			}
		}
		if c.Variants = only; len(only) > 0 {
			checks = append(checks, c)
		}
	}
	return checks
}
