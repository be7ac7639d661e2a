package expr

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/ext"
)

// A Kind is one kind of object that expressions can read.
type Kind struct {
	Name       string // "VirtualMachineInstanceMigration"
	Func       string // its function in expressions: "vmim"
	Namespaced bool   // keys are "namespace/name", otherwise "name"
}

// ListFunc is the name of the function that lists all objects of the kind: the
// plural of Func ("vmims", "policies").
func (k Kind) ListFunc() string {
	stem, isY := strings.CutSuffix(k.Func, "y")
	switch {
	case isY && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])):
		return stem + "ies"
	case hasAnySuffix(k.Func, "s", "x", "ch", "sh"):
		return k.Func + "es"
	}
	return k.Func + "s"
}

func hasAnySuffix(s string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(s, suffix) })
}

// A World is the objects that an expression is evaluated over. What it returns
// is shared and never modified.
type World interface {
	// Object is the present state of one object as decoded JSON, or nil if
	// there is none. The key is "namespace/name", or "name".
	Object(kind, key string) map[string]any
	// Objects are all objects of a kind, sorted by key.
	Objects(kind string) []map[string]any
}

// An Env compiles expressions over one set of kinds. It may be shared between
// goroutines.
type Env struct {
	cel     *cel.Env
	readers map[string]reader // by function name
	words   []string          // every name that can be called, sorted
}

// A reader is what one of the kinds' functions reads.
type reader struct {
	kind Kind
	list bool
}

// envs holds the environments made so far, by their kinds: declaring CEL's
// standard library takes milliseconds, and nearly all callers want the same.
var envs sync.Map // string -> *Env

// NewEnv returns the environment of the given kinds. It fails if two kinds claim
// the same function, or a function's name is taken by CEL itself.
func NewEnv(kinds []Kind) (*Env, error) {
	kinds = slices.Clone(kinds)
	slices.SortFunc(kinds, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	id := fmt.Sprintf("%#v", kinds)
	if known, ok := envs.Load(id); ok {
		return known.(*Env), nil
	}
	env, err := newEnv(kinds)
	if err != nil {
		return nil, err
	}
	known, _ := envs.LoadOrStore(id, env)
	return known.(*Env), nil
}

func newEnv(kinds []Kind) (*Env, error) {
	base, err := cel.NewEnv(
		cel.OptionalTypes(),
		cel.CrossTypeNumericComparisons(true), // decoded JSON mixes int64 and float64
		ext.Strings(),
	)
	if err != nil {
		return nil, fmt.Errorf("preparing CEL: %w", err)
	}
	env := &Env{readers: map[string]reader{}, words: callable(base)}
	var options []cel.EnvOption
	for _, k := range kinds {
		if err := env.claim(k); err != nil {
			return nil, err
		}
		options = append(options, declare(k)...)
	}
	for name := range env.readers {
		env.words = append(env.words, name)
	}
	slices.Sort(env.words)
	env.cel, err = base.Extend(options...)
	if err != nil {
		return nil, fmt.Errorf("declaring the kinds' functions in CEL: %w", err)
	}
	return env, nil
}

// claim reserves the two functions of a kind.
func (e *Env) claim(k Kind) error {
	if !isName(k.Func) {
		return fmt.Errorf("kind %s: the function %q is no CEL name: expected letters, digits and _", k.Name, k.Func)
	}
	for _, name := range []string{k.Func, k.ListFunc()} {
		if other, taken := e.readers[name]; taken {
			return fmt.Errorf("kinds %s and %s both claim the function %s: rename one of them", other.kind.Name, k.Name, name)
		}
		if slices.Contains(e.words, name) {
			return fmt.Errorf("kind %s: %s is a function of CEL itself: choose another name", k.Name, name)
		}
		e.readers[name] = reader{kind: k, list: name != k.Func}
	}
	return nil
}

// declare gives CEL the types of a kind's functions. Their bindings are never
// reached: Compile plans reads of the World in their place.
func declare(k Kind) []cel.EnvOption {
	return []cel.EnvOption{
		cel.Function(k.Func, cel.Overload(k.Func+"_key", []*cel.Type{cel.StringType}, cel.DynType,
			cel.UnaryBinding(func(ref.Val) ref.Val { return unplanned }))),
		cel.Function(k.ListFunc(), cel.Overload(k.ListFunc()+"_all", nil, cel.ListType(cel.DynType),
			cel.FunctionBinding(func(...ref.Val) ref.Val { return unplanned }))),
	}
}

var unplanned = types.NewErr("the objects cannot be read here")

// callable lists what can be called by name: CEL's functions without its
// operators (their names hold other characters), and its macros.
func callable(env *cel.Env) []string {
	var words []string
	for name := range env.Functions() {
		if isName(name) {
			words = append(words, name)
		}
	}
	for _, m := range env.Macros() {
		if isName(m.Function()) {
			words = append(words, m.Function())
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

func isName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}
