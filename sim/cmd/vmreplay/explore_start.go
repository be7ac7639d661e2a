package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/explore"
	"github.com/vmreplay/vmreplay/sim/gate"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A start is a scenario to search from, and its file.
type start struct {
	story  *sim.Story
	source scenario.Source
	tree   *explore.Tree // nil for the controllers that are built in
}

// starts are the scenarios that a search starts from. done is to be called when
// it is over.
func (h *hunt) starts(paths []string) (starts []start, done func(), err error) {
	if h.tree.dir != "" {
		return h.treeStarts(paths)
	}
	if err := (&selection{variant: h.variant}).check(); err != nil {
		return nil, nil, err
	}
	starts, err = startsOf(paths, h.variant)
	return starts, func() {}, err
}

// startsOf are the scenarios of the paths whose controller has the variant.
func startsOf(paths []string, variant string) ([]start, error) {
	sources, err := scenario.OpenPaths(paths)
	if err != nil {
		return nil, err
	}
	stories, err := load(paths)
	if err != nil {
		return nil, err
	}
	var starts []start
	for i, story := range stories {
		if slices.Contains(story.Variants(), variant) {
			starts = append(starts, start{story: story, source: sources[i]})
		}
	}
	if len(starts) == 0 {
		return nil, fmt.Errorf("none of the scenarios has a controller with variant %q", variant)
	}
	return starts, nil
}

// treeStarts are the scenarios of a tree, of which one set of patches is built.
func (h *hunt) treeStarts(paths []string) (starts []start, done func(), err error) {
	if h.dir != "" && len(h.tree.as) > 0 {
		return nil, nil, errors.New("--out: a scenario of a built-in controller has no verdicts for sets of patches: leave out --as or --out")
	}
	sources, err := scenario.OpenPaths(paths)
	if err != nil {
		return nil, nil, err
	}
	subject, err := h.tree.open(nil)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			subject.Close()
		}
	}()
	if len(subject.Patches) == 0 && h.variant == gate.All {
		h.variant = gate.None
	}
	chosen, err := subject.Set(h.variant)
	if err != nil {
		return nil, nil, fmt.Errorf("--variant: %w", err)
	}
	cells, err := h.tree.cells(subject, []gate.Set{chosen}, paths)
	if err != nil {
		return nil, nil, err
	}
	tree := h.treeOf(subject)
	for _, c := range cells {
		i := slices.IndexFunc(sources, func(s scenario.Source) bool { return s.Path() == c.story.Pos.File })
		starts = append(starts, start{c.story, sources[i], tree})
	}
	return starts, subject.Close, nil
}

// treeOf builds sets of patches when they are asked for: all but the one that is
// searched are needed only for a scenario that is found.
func (h *hunt) treeOf(subject *gate.Subject) *explore.Tree {
	sets := map[string]gate.Set{}
	tree := &explore.Tree{Flags: h.tree.line()}
	for _, set := range subject.Sets {
		sets[set.Name] = set
		tree.Sets = append(tree.Sets, set.Name)
	}
	tree.Runner = func(name string) (sim.Runner, error) {
		if err := subject.Build([]gate.Set{sets[name]}); err != nil {
			return nil, err
		}
		return subject.Runner(name), nil
	}
	return tree
}
