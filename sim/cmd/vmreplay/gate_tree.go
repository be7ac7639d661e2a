package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/gate"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// treeFlags say which source tree a command runs, and how.
type treeFlags struct {
	dir, pkg, binding, patches, modFile string
	buildFlags, as                      []string
	isolate                             bool
}

func (f *treeFlags) flags(set *pflag.FlagSet) {
	set.StringVar(&f.dir, "tree", "", "run the controller in this source tree, which is only read")
	set.StringVar(&f.pkg, "package", ".", "the controller's package, a folder of the tree")
	set.StringVar(&f.binding, "binding", "", "the test file that builds the controller (see: vmreplay bind)")
	set.StringVar(&f.patches, "patches", "", "a pattern of patch files, applied in the order of their names: 'DIR/*.diff'")
	set.StringVar(&f.modFile, "modfile", "", "a file of the tree to use in place of its go.mod")
	set.StringArrayVar(&f.buildFlags, "build-flag", nil, "a flag for go test -c, such as -tags=integration; may be repeated")
	set.StringArrayVar(&f.as, "as", nil, "SET=VARIANT: judge scenarios of a built-in controller, too: the tree with this set of patches does what that variant does; may be repeated")
	set.BoolVar(&f.isolate, "isolate", false, "make each run in a process of its own")
}

// line is the flags as a shell reads them, for the command that repeats a run.
func (f *treeFlags) line() string {
	var b strings.Builder
	add := func(flag string, values ...string) {
		for _, v := range values {
			if v != "" {
				b.WriteString(" --" + flag + " " + quote(v))
			}
		}
	}
	add("tree", f.dir)
	add("package", f.pkg)
	add("binding", f.binding)
	add("patches", f.patches)
	add("modfile", f.modFile)
	add("build-flag", f.buildFlags...)
	add("as", f.as...)
	return b.String()
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
	if len(subject.Patches) == 0 && set == gate.All {
		set = gate.None
	}
	chosen, err := subject.Set(set)
	if err != nil {
		return fmt.Errorf("--variant: %w", err)
	}
	cells, err := f.cells(subject, []gate.Set{chosen}, paths)
	if err != nil {
		return err
	}
	return run(cells)
}

// cells are the runs of the scenarios under sets of patches: built, and ready.
func (f *treeFlags) cells(subject *gate.Subject, sets []gate.Set, paths []string) ([]cell, error) {
	stories, err := load(paths)
	if err != nil {
		return nil, err
	}
	as, err := gate.ParseAs(subject.Patches, f.as)
	if err != nil {
		return nil, err
	}
	if err := subject.Build(sets); err != nil {
		return nil, err
	}
	var cells []cell
	var errs []error
	for _, story := range stories {
		told, expected, err := retell(story, subject, sets, as)
		if err == nil && len(expected) > 0 {
			err = subject.Serves(story.Scenario)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, set := range expected {
			cells = append(cells, cell{told, set.Name, subject.Runner(set.Name), subject.Alone(set.Name), f.line()})
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("none of the scenarios is of a controller of type %q, or of a variant that --as names", sim.TypeTree)
	}
	return cells, nil
}

// retell puts the tree into the controllers' place, and returns the sets that the
// story then has verdicts for.
func retell(story *sim.Story, subject *gate.Subject, sets []gate.Set, as map[string]string) (*sim.Story, []gate.Set, error) {
	var sc *scenario.Scenario
	var err error
	switch {
	case story.Type() == sim.TypeTree:
		sc, err = gate.Expect(story.Scenario, subject.Patches, sets)
	case len(as) > 0:
		sc, sets, err = gate.As(story.Scenario, as, sets, story.Variants())
	default:
		return story, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	told, err := sim.Compile(sc)
	return told, sets, err
}

// set is the set of patches that --variant names for a tree; all of them, if it
// names none.
func (s *selection) set() string {
	if s.variant == all {
		return gate.All
	}
	return s.variant
}
