package sim

import (
	"fmt"
	"slices"

	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/expr"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A Story is a scenario that is ready to run: everything in it that must be
// compiled is. It is never changed, so runs may share it.
type Story struct {
	*scenario.Scenario
	spec  *check.Spec
	whens map[int]*expr.Program // of the timeline's events, by index
}

// Compile makes a scenario ready to run.
func Compile(s *scenario.Scenario) (*Story, error) {
	spec, err := check.Compile(s, Conditions())
	if err != nil {
		return nil, err
	}
	if err := tryObjects(s); err != nil {
		return nil, err
	}
	if err := electionIsHere(s); err != nil {
		return nil, err
	}
	story := &Story{Scenario: s, spec: spec, whens: map[int]*expr.Program{}}
	for i, ev := range s.Timeline {
		if ev.When == nil {
			continue
		}
		if story.whens[i], err = Conditions().Compile(ev.When.Source); err != nil {
			return nil, fmt.Errorf("%s:%d:%d: %w", ev.When.Pos.File, ev.When.Pos.Line, ev.When.Pos.Column, err)
		}
	}
	return story, nil
}

// electionIsHere refuses leader elections around a controller whose code is
// elsewhere: its binding would have to start them.
func electionIsHere(s *scenario.Scenario) error {
	for _, c := range s.Controllers {
		if c.Lease != "" && c.Type == TypeTree {
			return fmt.Errorf("%s:%d:%d: leaderElection: a controller of type %s elects its leader in its own code", c.Pos.File, c.Pos.Line, c.Pos.Column, TypeTree)
		}
	}
	return nil
}

// Type is the type of the story's controllers.
func (s *Story) Type() string { return s.Controllers[0].Type }

// Variants are the variants of the story's controllers, the unpatched one first.
func (s *Story) Variants() []string { return Catalog().Controllers[s.Type()] }

// schedule is the story's own, for a variant.
func (s *Story) schedule(variant string) []engine.Perturbation {
	var all []engine.Perturbation
	for _, p := range s.Schedule {
		if len(p.Variants) == 0 || slices.Contains(p.Variants, variant) {
			all = append(all, p.Perturbation)
		}
	}
	return all
}

// Expected are the checks that a variant is expected to fail; none means green.
func (s *Story) Expected(variant string) []string {
	for _, r := range s.Verdicts.Red {
		if r.Variant == variant {
			return slices.Sorted(slices.Values(r.Checks))
		}
	}
	return nil
}
