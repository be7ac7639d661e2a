package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/gate"
)

// treeFlags say which source tree a command runs, and how.
type treeFlags struct {
	dir, pkg, binding, patches, modFile string
	buildFlags                          []string
	isolate                             bool
}

func (f *treeFlags) flags(set *pflag.FlagSet) {
	set.StringVar(&f.dir, "tree", "", "run the controller in this source tree, which is only read")
	set.StringVar(&f.pkg, "package", ".", "the controller's package, a folder of the tree")
	set.StringVar(&f.binding, "binding", "", "the test file that builds the controller (see: vmreplay bind)")
	set.StringVar(&f.patches, "patches", "", "a pattern of patch files, applied in the order of their names: 'DIR/*.diff'")
	set.StringVar(&f.modFile, "modfile", "", "a file of the tree to use in place of its go.mod")
	set.StringArrayVar(&f.buildFlags, "build-flag", nil, "a flag for go test -c, such as -tags=integration; may be repeated")
	set.BoolVar(&f.isolate, "isolate", false, "make each run in a process of its own")
}

// open checks the tree, the binding and the patches.
func (f *treeFlags) open(kinds []string) (*gate.Subject, error) {
	if f.dir == "" {
		return nil, errors.New("--tree: expected the folder of a controller's source, found nothing")
	}
	if f.binding == "" {
		return nil, errors.New("--binding: expected the test file that builds the controller, found nothing: vmreplay bind writes one to start from")
	}
	return gate.Open(gate.Config{
		Tree:    gate.Tree{Dir: f.dir, Package: f.pkg, ModFile: f.modFile, Flags: f.buildFlags},
		Binding: f.binding, Patches: f.patches, Kinds: kinds, Isolate: f.isolate,
	})
}

// runTree builds one set of patches and hands its cells on.
func (a *app) runTree(f *treeFlags, paths []string, set string, run func([]cell) error) error {
	subject, err := f.open([]string{gate.All})
	if err != nil {
		return err
	}
	defer subject.Close()
	chosen, err := subject.Set(set)
	if err != nil {
		return fmt.Errorf("--variant: %w", err)
	}
	cells, err := treeCells(subject, []gate.Set{chosen}, paths)
	if err != nil {
		return err
	}
	return run(cells)
}

// treeCells are the runs of the scenarios under sets of patches: built, and ready.
func treeCells(subject *gate.Subject, sets []gate.Set, paths []string) ([]cell, error) {
	stories, err := load(paths)
	if err != nil {
		return nil, err
	}
	if err := subject.Build(sets); err != nil {
		return nil, err
	}
	var cells []cell
	var errs []error
	for _, story := range stories {
		if story.Type() != sim.TypeTree {
			continue
		}
		spelt, err := gate.Expect(story.Scenario, subject.Patches, sets)
		if err = errors.Join(err, subject.Serves(story.Scenario)); err != nil {
			errs = append(errs, err)
			continue
		}
		compiled, err := sim.Compile(spelt)
		if err != nil {
			return nil, err
		}
		for _, set := range sets {
			cells = append(cells, cell{compiled, set.Name, subject.Runner(set.Name)})
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("none of the scenarios is of a controller of type %q", sim.TypeTree)
	}
	return cells, nil
}

// set is the set of patches that --variant names for a tree; all of them, if it
// names none.
func (s *selection) set() string {
	if s.variant == all {
		return gate.All
	}
	return s.variant
}
