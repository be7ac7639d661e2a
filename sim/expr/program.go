package expr

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"
)

// A Program is one compiled expression. It keeps no state, so it may be shared
// between runs and goroutines.
type Program struct {
	source string
	cel    cel.Program
	kinds  []string
	tree   *ast.AST
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
	failure, ok := errors.AsType[*types.Err](err)
	if !ok {
		return err
	}
	path := p.byNode[failure.NodeID()]
	if path != nil {
		if absent := path.absence(w, failure); absent != nil {
			return absent
		}
	}
	return &mistake{p, failure}
}

// absence is what of a path is not there, or nil if the failure is another. Of
// a path whose start is known to CEL alone, CEL's own error tells.
func (p *path) absence(w World, failure error) *Absent {
	if p.known && !p.list {
		_, absent := p.resolve(w)
		return absent
	}
	missing, ok := strings.CutPrefix(failure.Error(), "no such key: ")
	for _, l := range p.links {
		if ok && l.field == missing && !l.number {
			return l.absent
		}
	}
	return nil
}

// A mistake is an evaluation that no state of the cluster explains. Its text is
// made when somebody reads it: a condition that fails at every write costs little.
type mistake struct {
	program *Program
	failure *types.Err
}

func (m *mistake) Unwrap() error { return m.failure }

func (m *mistake) Error() string {
	reason := m.failure.Error()
	if strings.HasPrefix(reason, "no such overload") {
		reason = "the values are not of types that go together"
	}
	return m.program.part(m.failure.NodeID()) + ": " + reason
}

// part is the source of one node, or all of it.
func (p *Program) part(node int64) string {
	is := func(e ast.NavigableExpr) bool { return e.ID() == node }
	for _, e := range ast.MatchDescendants(ast.NavigateAST(p.tree), is) {
		if text, err := parser.Unparse(e, p.tree.SourceInfo()); err == nil {
			return text
		}
	}
	return p.source
}
