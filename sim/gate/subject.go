package gate

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/vmreplay/vmreplay/sim/lockstep"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// Config says what a Subject consists of.
type Config struct {
	Tree    Tree
	Binding string   // path of the binding
	Patches string   // pattern of the patches' paths; empty means none
	Kinds   []string // of patch sets; empty means all kinds
	// Isolate gives each run a process of its own.
	Isolate bool
	// Cache is a folder for binaries; empty means one in the user's cache.
	Cache string
}

// A Subject is a controller in its own tree under each of some sets of patches.
type Subject struct {
	Patches []Patch
	Sets    []Set
	// Built is how many binaries had to be made.
	Built int

	isolate bool
	builder *builder
	remotes map[string]*lockstep.Remote // by set
}

// Open checks everything that can be checked before a compiler is asked: the tree
// and the binding are there, patches that name an upstream commit are copies of
// it, and the series applies, in one git apply and patch by patch.
func Open(c Config) (*Subject, error) {
	tree := c.Tree
	if err := tree.check(); err != nil {
		return nil, err
	}
	bound, err := readBinding(c.Binding)
	if err != nil {
		return nil, err
	}
	s := &Subject{isolate: c.Isolate, remotes: map[string]*lockstep.Remote{}}
	if s.Patches, err = LoadPatches(c.Patches); err != nil {
		return nil, err
	}
	if err := s.checkPatches(&tree); err != nil {
		return nil, err
	}
	kinds := c.Kinds
	if len(kinds) == 0 {
		kinds = Kinds()
	}
	if s.Sets, err = Sets(s.Patches, kinds); err != nil {
		return nil, err
	}
	stored, err := openCache(c.Cache)
	if err != nil {
		return nil, err
	}
	key, err := treeKey(&tree, bound)
	if err != nil {
		return nil, err
	}
	s.builder = &builder{tree: &tree, binding: bound, cache: stored, key: key}
	return s, nil
}

func (s *Subject) checkPatches(tree *Tree) error {
	for _, p := range s.Patches {
		if err := p.CheckUpstream(); err != nil {
			return err
		}
	}
	if err := check(tree.Dir, s.Patches); err != nil {
		return fmt.Errorf("the series does not apply: %w", err)
	}
	if _, err := apply(tree.Dir, s.Patches); err != nil {
		return fmt.Errorf("patch set %s: %w", All, err)
	}
	return nil
}

// Set returns the set of a name, and adds it to Sets if it is not there.
func (s *Subject) Set(name string) (Set, error) {
	set, err := parseSet(s.Patches, name)
	if err != nil {
		return Set{}, err
	}
	if !slices.ContainsFunc(s.Sets, func(o Set) bool { return o.Name == name }) {
		s.Sets = append(s.Sets, set)
	}
	return set, nil
}

// Build makes the binaries of some sets, or finds them in the cache, and starts
// each. It fails where one does not compile or does not start.
func (s *Subject) Build(sets []Set) error {
	for _, set := range sets {
		if s.remotes[set.Name] != nil {
			continue
		}
		binary, made, err := s.builder.build(set, s.Patches)
		if err != nil {
			return err
		}
		if made {
			s.Built++
		}
		remote := &lockstep.Remote{Isolate: s.isolate, Command: func() *exec.Cmd { return s.command(binary) }}
		if _, err := remote.Programs(); err != nil {
			return fmt.Errorf("patch set %s: the test binary of %s does not run: %w", set.Name, s.builder.tree.Package, err)
		}
		s.remotes[set.Name] = remote
	}
	return nil
}

// command starts a child in the folder of its package, as go test does.
func (s *Subject) command(binary string) *exec.Cmd {
	cmd := exec.Command(binary, "-test.run=^"+s.builder.binding.test+"$", "-test.timeout=0")
	cmd.Dir = s.builder.tree.packageDir()
	// client-go's reflectors gather a streamed list in a Go map, so that the ADDED
	// events of a new cache come in an order that nothing can seed. Without this
	// gate they list first, as up to 0.34: a list comes in the server's order.
	cmd.Env = append(os.Environ(), "KUBE_FEATURE_WatchListClient=false")
	return cmd
}

// Runner makes runs of a set that was built, for sim.Options.
func (s *Subject) Runner(set string) func(func(time.Time) lockstep.Engine, lockstep.Options) lockstep.Report {
	return s.remotes[set].Run
}

// Alone makes runs of a set that was built, each in a process of its own.
func (s *Subject) Alone(set string) func(func(time.Time) lockstep.Engine, lockstep.Options) lockstep.Report {
	return s.remotes[set].RunAlone
}

// Serves demands that the binding has a program for each of a scenario's
// controllers.
func (s *Subject) Serves(sc *scenario.Scenario) error {
	var programs []string
	for _, r := range s.remotes {
		var err error
		if programs, err = r.Programs(); err != nil {
			return err
		}
		break
	}
	var errs []error
	for _, c := range sc.Controllers {
		if !slices.Contains(programs, c.Name) {
			errs = append(errs, fmt.Errorf("%s:%d:%d: expected a process that %s serves (%s), found %q",
				c.Pos.File, c.Pos.Line, c.Pos.Column, s.builder.binding.path, strings.Join(programs, ", "), c.Name))
		}
	}
	return errors.Join(errs...)
}

// Close ends the child processes.
func (s *Subject) Close() {
	for _, r := range s.remotes {
		r.Close()
	}
}
