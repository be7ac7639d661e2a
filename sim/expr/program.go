package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
)

// A Program is one compiled expression. It keeps no state, so it may be shared
// between runs and goroutines.
type Program struct {
	source string
	cel    cel.Program
	kinds  []string
	paths  []*path
	byNode map[int64]*path
}

// Source is the text that the program was compiled from.
func (p *Program) Source() string { return p.source }

// Kinds are the names of the kinds whose objects the program can read, sorted.
func (p *Program) Kinds() []string { return slices.Clone(p.kinds) }

// Reads tells whether the program can read objects of a kind.
func (p *Program) Reads(kind string) bool { return slices.Contains(p.kinds, kind) }

// Eval says whether the expression is true in w. An object or field that is not
// there, where the expression neither tests nor defaults it, gives false and an
// *Absent error. Any other error is a mistake in the expression.
func (p *Program) Eval(w World) (bool, error) {
	value, _, err := p.cel.Eval(&activation{w})
	if err != nil {
		return false, p.explain(w, err)
	}
	if b, ok := value.(types.Bool); ok {
		return bool(b), nil
	}
	return false, fmt.Errorf("%w: found a %s", errNotBool, value.Type().TypeName())
}

// explain names what an evaluation failed at.
func (p *Program) explain(w World, err error) error {
	failure, ok := err.(*types.Err)
	if !ok {
		return err
	}
	path := p.byNode[failure.NodeID()]
	if path == nil {
		return err
	}
	if path.known && !path.list {
		if _, absent := path.resolve(w); absent != nil {
			return absent
		}
		return fmt.Errorf("%s: %w", path.text(len(path.links)), err)
	}
	return path.absentKey(err)
}

// absentKey turns CEL's error about a missing key of a path whose start is known
// to CEL alone into the error of the path's link of that name.
func (p *path) absentKey(err error) error {
	if missing, ok := strings.CutPrefix(err.Error(), "no such key: "); ok {
		for _, l := range p.links {
			if l.field == missing && !l.number {
				return l.absent
			}
		}
	}
	return fmt.Errorf("%s: %w", p.text(len(p.links)), err)
}
