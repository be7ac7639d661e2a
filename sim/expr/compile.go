package expr

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/vmreplay/vmreplay/sim/nearest"
)

// costLimit ends the evaluation of an expression that would take seconds: nested
// loops over lists. Ordinary conditions cost less than a thousand.
const costLimit = 200_000

// Compile checks and plans an expression. The error is an *Error: a syntax or
// type error, an unknown name, a key of the wrong form, or a result that is not
// true or false.
func (e *Env) Compile(source string) (*Program, error) {
	checked, issues := e.cel.Compile(source)
	if err := issues.Err(); err != nil {
		return nil, e.explain(source, issues.Errors())
	}
	if t := checked.OutputType(); t.Kind() != types.BoolKind && t.Kind() != types.DynKind {
		return nil, &Error{Line: 1, Column: 1, Message: fmt.Sprintf("the expression must be true or false; found one of type %s", t)}
	}
	tree := checked.NativeRep()
	program := &Program{source: source, tree: tree}
	for _, call := range e.reads(tree) {
		if err := checkKey(tree, call); err != nil {
			return nil, err
		}
		program.kinds = append(program.kinds, call.kind.Name)
	}
	slices.Sort(program.kinds)
	program.kinds = slices.Compact(program.kinds)
	program.paths, program.byNode = e.findPaths(tree)
	planned, err := e.cel.Program(checked, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(costLimit), cel.CustomDecorator(e.planReads))
	if err != nil {
		return nil, &Error{Line: 1, Column: 1, Message: err.Error()}
	}
	program.cel = planned
	return program, nil
}

// CompileValue compiles an expression of which one value is wanted: the field of
// an object, or the list of all objects of a kind.
func (e *Env) CompileValue(source string) (*Program, error) {
	const want = `expected one field of an object, such as vmi("default/vm").status.phase`
	p, err := e.Compile("(" + source + ") == null")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", want, err)
	}
	if len(p.paths) != 1 || !p.paths[0].known {
		return nil, fmt.Errorf("%s, found %s", want, source)
	}
	return p, nil
}

// A read is one call of a kind's function in a source.
type read struct {
	reader
	node ast.NavigableExpr
}

func (e *Env) reads(tree *ast.AST) []read {
	var reads []read
	for _, node := range ast.MatchDescendants(ast.NavigateAST(tree), ast.KindMatcher(ast.CallKind)) {
		if r, ok := e.readers[node.AsCall().FunctionName()]; ok {
			reads = append(reads, read{r, node})
		}
	}
	return reads
}

// checkKey finds constant keys that no object of the kind can have.
func checkKey(tree *ast.AST, r read) error {
	key, ok := constantKey(r.node)
	if r.list || !ok {
		return nil
	}
	parts := strings.Split(key, "/")
	want := 1
	if r.kind.Namespaced {
		want = 2
	}
	if len(parts) == want && !slices.Contains(parts, "") {
		return nil
	}
	at := tree.SourceInfo().GetStartLocation(r.node.AsCall().Args()[0].ID())
	return &Error{Line: at.Line(), Column: at.Column() + 1,
		Message: fmt.Sprintf("the key of a %s is %s; found %q", r.kind.Name, r.kind.keyForm(), key)}
}

func (k Kind) keyForm() string {
	if k.Namespaced {
		return `"namespace/name"`
	}
	return `"name"`
}

func constantKey(call ast.Expr) (string, bool) {
	args := call.AsCall().Args()
	if len(args) != 1 || args[0].Kind() != ast.LiteralKind {
		return "", false
	}
	key, ok := args[0].AsLiteral().Value().(string)
	return key, ok
}

var (
	undeclared = regexp.MustCompile(`^undeclared reference to '([^']*)'`)
	noOverload = regexp.MustCompile(`^found no matching overload for '([^']*)' applied to '([^']*)'`)
	syntax     = "Syntax error: "
)

// explain turns the first of CEL's issues, in the order of the source, into an
// error in the words of this package.
func (e *Env) explain(source string, issues []*common.Error) error {
	if len(issues) == 0 {
		return &Error{Line: 1, Column: 1, Message: "not an expression"}
	}
	first := slices.MinFunc(issues, func(a, b *common.Error) int {
		if a.Location.Line() != b.Location.Line() {
			return a.Location.Line() - b.Location.Line()
		}
		return a.Location.Column() - b.Location.Column()
	})
	// Limits (size, depth) have no location.
	err := &Error{Line: max(1, first.Location.Line()), Column: max(1, first.Location.Column()+1), Message: first.Message}
	if strings.TrimSpace(source) == "" {
		err.Message = "expected an expression, found nothing"
	} else if m := undeclared.FindStringSubmatch(first.Message); m != nil {
		err.Message, err.Hint = e.unknown(m[1])
	} else if m := noOverload.FindStringSubmatch(first.Message); m != nil {
		err.Message = e.misapplied(m[1], m[2])
	} else if rest, ok := strings.CutPrefix(first.Message, syntax); ok {
		err.Message = "syntax error: " + rest
	}
	return err
}

func (e *Env) unknown(name string) (message, hint string) {
	if r, ok := e.readers[name]; ok {
		return fmt.Sprintf("%s is a function: write %s", name, r.usage()), ""
	}
	return fmt.Sprintf("unknown name %q", name), nearest.Word(name, e.words)
}

func (e *Env) misapplied(name, types string) string {
	if r, ok := e.readers[name]; ok {
		return fmt.Sprintf("expected %s, found %s%s", r.usage(), name, types)
	}
	return fmt.Sprintf("%s cannot be applied to %s", operator(name), types)
}

// operator strips CEL's placeholders: _==_ is == in a source.
func operator(name string) string {
	if bare := strings.Trim(name, "_"); strings.ContainsAny(name, "_@") && bare != "" {
		return bare
	}
	return name
}

func (r reader) usage() string {
	if r.list {
		return r.kind.ListFunc() + "()"
	}
	return fmt.Sprintf("%s(%s)", r.kind.Func, r.kind.keyForm())
}

// errNotBool is the error of a dynamic expression that is something else.
var errNotBool = errors.New("the expression is not true or false")
