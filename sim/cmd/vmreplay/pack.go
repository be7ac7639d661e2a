package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/nearest"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// load reads the stories of a command line. A problem in one file is a problem
// of the whole: nothing is run then.
func load(paths []string) ([]*sim.Story, error) {
	sources, err := scenario.OpenPaths(paths)
	if err != nil {
		return nil, err
	}
	scenarios, err := scenario.LoadAll(sources, sim.Catalog(), sim.Conditions())
	if err != nil {
		return nil, err
	}
	stories := make([]*sim.Story, 0, len(scenarios))
	for _, s := range scenarios {
		story, err := sim.Compile(s)
		if err != nil {
			return nil, err
		}
		stories = append(stories, story)
	}
	return stories, nil
}

// A selection is which runs a command makes.
type selection struct {
	controller string
	variant    string
	seed       uint64
}

func (s *selection) flags(f *pflag.FlagSet) {
	f.StringVar(&s.controller, "controller", "", "only scenarios of this type of controller: "+strings.Join(types(), ", "))
	f.StringVar(&s.variant, "variant", all, "the variant of the controller, or all")
	f.Uint64Var(&s.seed, "seed", 1, "decides all that is random in a run")
}

const all = "all"

// check finds mistakes in the flags.
func (s *selection) check() error {
	if s.controller != "" && !slices.Contains(types(), s.controller) {
		return unknown("--controller", "type of controller", s.controller, types())
	}
	if s.variant == all {
		return nil
	}
	var valid []string
	for _, subject := range sim.Subjects() {
		if s.controller == "" || s.controller == subject.Type {
			valid = append(valid, subject.Variants...)
		}
	}
	if !slices.Contains(valid, s.variant) {
		return unknown("--variant", "variant", s.variant, append(valid, all))
	}
	return nil
}

// stories are those that the selection takes. None is a mistake: a command that
// does nothing must not look like one that found nothing.
func (s *selection) stories(paths []string) ([]*sim.Story, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	loaded, err := load(paths)
	if err != nil {
		return nil, err
	}
	taken := slices.DeleteFunc(slices.Clone(loaded), func(story *sim.Story) bool { return len(s.variants(story)) == 0 })
	if len(taken) == 0 {
		return nil, s.none(loaded)
	}
	return taken, nil
}

// none says why nothing is left to run.
func (s *selection) none(loaded []*sim.Story) error {
	if !slices.ContainsFunc(loaded, func(story *sim.Story) bool { return story.Type() != sim.TypeTree }) {
		return fmt.Errorf("the scenarios are of a controller in its own source tree: expected --tree, --package and --binding")
	}
	if s.controller == "" {
		return fmt.Errorf("none of the scenarios is of a controller with variant %q", s.variant)
	}
	return fmt.Errorf("none of the scenarios is of controller %q with variant %q", s.controller, s.variant)
}

// variants are those of a story that the selection takes.
func (s *selection) variants(story *sim.Story) []string {
	if s.controller != "" && s.controller != story.Type() {
		return nil
	}
	if s.variant == all {
		return story.Variants()
	}
	if slices.Contains(story.Variants(), s.variant) {
		return []string{s.variant}
	}
	return nil
}

func types() []string {
	var out []string
	for _, s := range sim.Subjects() {
		out = append(out, s.Type)
	}
	return out
}

// unknown is the error for a word that is none of the valid ones.
func unknown(flag, what, got string, valid []string) error {
	if near := nearest.Word(got, valid); near != "" {
		return fmt.Errorf("%s: unknown %s %q (did you mean %q?)", flag, what, got, near)
	}
	return fmt.Errorf("%s: unknown %s %q: expected one of %s", flag, what, got, strings.Join(valid, ", "))
}
