package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/nearest"
)

// Names of the patch sets, and what the names of the others begin with.
const (
	All     = "all"
	None    = "none"
	without = "without-"
	only    = "only-"
)

// Kinds of patch sets, in the order in which they are built.
const (
	EachAlone = "each-alone" // only-X for every patch X
	EachOut   = "each-out"   // without-X for every patch X
)

// Kinds are the kinds of patch sets that there are.
func Kinds() []string { return []string{None, EachAlone, EachOut, All} }

// A Set is a subset of a series of patches: one variant of the controller.
type Set struct {
	Name string
	has  []bool // by patch
}

// Sets lists the sets of the given kinds, in the order of Kinds. Sets with the
// same patches are listed once.
func Sets(patches []Patch, kinds []string) ([]Set, error) {
	for _, k := range kinds {
		if !slices.Contains(Kinds(), k) {
			return nil, unknown("--variants: unknown kind of patch set", k, Kinds())
		}
	}
	var all []Set
	add := func(name string) {
		s, err := parseSet(patches, name)
		if err == nil && !slices.ContainsFunc(all, s.same) {
			all = append(all, s)
		}
	}
	for _, k := range Kinds() {
		if !slices.Contains(kinds, k) {
			continue
		}
		switch k {
		case EachAlone:
			for _, p := range patches {
				add(only + p.Name)
			}
		case EachOut:
			for _, p := range patches {
				add(without + p.Name)
			}
		default:
			add(k)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("--variants: expected some of %s, found none that the series has", strings.Join(Kinds(), ", "))
	}
	return all, nil
}

// parseSet is the set of a name.
func parseSet(patches []Patch, name string) (Set, error) {
	s := Set{Name: name, has: make([]bool, len(patches))}
	rest, inverse := strings.CutPrefix(name, without)
	patch, alone := strings.CutPrefix(name, only)
	if inverse {
		patch = rest
	}
	switch {
	case name == All || name == None:
		for i := range s.has {
			s.has[i] = name == All
		}
		return s, nil
	case inverse || alone:
		for i, p := range patches {
			s.has[i] = (p.Name == patch) == alone
		}
		if slices.ContainsFunc(patches, func(p Patch) bool { return p.Name == patch }) {
			return s, nil
		}
	}
	valid := []string{All, None}
	for _, p := range patches {
		valid = append(valid, only+p.Name, without+p.Name)
	}
	return s, unknown("unknown patch set", name, valid)
}

func (s Set) same(o Set) bool { return slices.Equal(s.has, o.has) }

// patches are those of the series that the set has, in order.
func (s Set) patches(series []Patch) []Patch {
	var all []Patch
	for i, p := range series {
		if s.has[i] {
			all = append(all, p)
		}
	}
	return all
}

// unknown is the error for a word that is none of the valid ones.
func unknown(what, got string, valid []string) error {
	if near := nearest.Word(got, valid); near != "" {
		return fmt.Errorf("%s %q (did you mean %q?)", what, got, near)
	}
	return fmt.Errorf("%s %q: expected one of %s", what, got, strings.Join(valid, ", "))
}
