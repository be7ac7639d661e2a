package expr

import (
	"strconv"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/parser"
)

// A path is a chain of fields in a source, such as
// vmim("default/migration").status.phase, to say what of it is absent and what
// its value is. A path that starts at a list, a computed key or a variable has a
// text but no value outside an evaluation.
type path struct {
	reader
	key   string
	known bool // starts at an object with a constant key, or at a list
	root  string
	gone  *Absent // the error if the object is not there
	links []link
}

// A link is one step along a path.
type link struct {
	field  string // of an object
	index  int64  // of a list, where number is set
	number bool
	absent *Absent // the error if it is not there
}

// findPaths returns the longest paths of a source, in its order, and which of
// them each node belongs to.
func (e *Env) findPaths(tree *ast.AST) ([]*path, map[int64]*path) {
	f := pathFinder{env: e, tree: tree, byNode: map[int64]*path{}}
	f.visit(ast.NavigateAST(tree))
	return f.paths, f.byNode
}

type pathFinder struct {
	env    *Env
	tree   *ast.AST
	paths  []*path
	byNode map[int64]*path
}

func (f *pathFinder) visit(node ast.NavigableExpr) {
	if p := f.path(node, node); p != nil {
		f.paths = append(f.paths, p)
		return
	}
	for _, child := range node.Children() {
		f.visit(child)
	}
}

// path reads the chain that ends at node; top is the end of the longest chain
// that node is part of. It returns nil if node starts no chain.
func (f *pathFinder) path(node, top ast.NavigableExpr) *path {
	operand, next, ok := step(node)
	if !ok {
		return f.start(node, node.ID() != top.ID())
	}
	p := f.path(operand, top)
	if p == nil {
		return nil
	}
	next.absent = &Absent{Path: p.text(len(p.links)) + next.String()}
	p.links = append(p.links, next)
	f.byNode[node.ID()] = p
	return p
}

// start begins a path at a node that is no step of a chain.
func (f *pathFinder) start(node ast.NavigableExpr, followed bool) *path {
	p := &path{}
	switch {
	case node.Kind() == ast.IdentKind && followed:
		p.root = node.AsIdent()
	case node.Kind() == ast.CallKind && f.isRead(node):
		p.reader = f.env.readers[node.AsCall().FunctionName()]
		key, constant := constantKey(node)
		p.key, p.known = key, constant || p.list
		p.root = f.source(node)
		p.gone = &Absent{Path: p.root, Object: true}
		if !p.known {
			f.visit(node.Children()[0])
		}
	default:
		return nil
	}
	f.byNode[node.ID()] = p
	return p
}

func (f *pathFinder) isRead(node ast.NavigableExpr) bool {
	_, ok := f.env.readers[node.AsCall().FunctionName()]
	return ok
}

func (f *pathFinder) source(node ast.Expr) string {
	text, err := parser.Unparse(node, f.tree.SourceInfo())
	if err != nil {
		return node.AsCall().FunctionName() + "(...)"
	}
	return text
}

// step splits a node into what it selects from and the field or index that it
// selects; ok is false if it selects nothing, or something computed.
func step(node ast.NavigableExpr) (operand ast.NavigableExpr, l link, ok bool) {
	switch node.Kind() {
	case ast.SelectKind:
		return node.Children()[0], link{field: node.AsSelect().FieldName()}, true
	case ast.CallKind:
		return indexStep(node)
	}
	return nil, link{}, false
}

func indexStep(node ast.NavigableExpr) (operand ast.NavigableExpr, l link, ok bool) {
	switch node.AsCall().FunctionName() {
	case operators.Index, operators.OptIndex, operators.OptSelect:
	default:
		return nil, link{}, false
	}
	children := node.Children()
	if len(children) != 2 || children[1].Kind() != ast.LiteralKind {
		return nil, link{}, false
	}
	switch value := children[1].AsLiteral().Value().(type) {
	case string:
		return children[0], link{field: value}, true
	case int64:
		return children[0], link{index: value, number: true}, true
	}
	return nil, link{}, false
}

func (l link) String() string {
	switch {
	case l.number:
		return "[" + strconv.FormatInt(l.index, 10) + "]"
	case isName(l.field):
		return "." + l.field
	}
	return "[" + strconv.Quote(l.field) + "]"
}

// text is the path up to and including its first n links.
func (p *path) text(n int) string {
	s := p.root
	for _, l := range p.links[:n] {
		s += l.String()
	}
	return s
}

// resolve follows the path. If something is absent, it returns what.
func (p *path) resolve(w World) (any, *Absent) {
	if p.list {
		return p.listed(w)
	}
	object := w.Object(p.kind.Name, p.key)
	if object == nil {
		return nil, p.gone
	}
	var value any = object
	for _, l := range p.links {
		next, ok := l.follow(value)
		if !ok {
			return nil, l.absent
		}
		value = next
	}
	return value, nil
}

// listed resolves a path that starts at a list as far as the list itself.
func (p *path) listed(w World) (any, *Absent) {
	objects := w.Objects(p.kind.Name)
	list := make([]any, len(objects))
	for i, o := range objects {
		list[i] = o
	}
	return list, nil
}

func (l link) follow(value any) (any, bool) {
	switch v := value.(type) {
	case map[string]any:
		if l.number {
			return nil, false
		}
		next, ok := v[l.field]
		return next, ok
	case []any:
		if !l.number || l.index < 0 || l.index >= int64(len(v)) {
			return nil, false
		}
		return v[l.index], true
	}
	return nil, false
}
