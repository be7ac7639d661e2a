package scenario

import (
	"errors"
	"strings"
	"unicode"

	"github.com/vmreplay/vmreplay/sim/expr"
	"go.yaml.in/yaml/v3"
)

// expr reads an expression and compiles it, to find its mistakes now.
func (d *document) expr(n *yaml.Node, what string) *Expr {
	e := &Expr{Pos: d.pos(n)}
	n = resolve(n)
	if n.Kind != yaml.ScalarNode || isNull(n) || strings.TrimSpace(n.Value) == "" {
		d.errorf(e.Pos, "%s: expected an expression, found %s", what, found(n))
		return e
	}
	e.Source = n.Value
	err := d.compile(e.Source)
	if wrong, ok := errors.AsType[*expr.Error](err); ok {
		at := d.place(n, wrong.Line, wrong.Column)
		d.report(&Error{Pos: at, Message: what + ": " + wrong.Message, Hint: wrong.Hint})
	} else if err != nil {
		d.errorf(e.Pos, "%s: %v", what, err)
	}
	return e
}

// compile compiles each expression once: aliases can bring in a long one very often.
func (l *loader) compile(source string) error {
	err, known := l.compiled[source]
	if !known {
		_, err = l.env.Compile(source)
		l.compiled[source] = err
	}
	return err
}

// place translates a line and column of a scalar's value, from 1, into the
// file's. Quotes, escapes, folding and indentation change the white space of a
// value and nothing else, so it counts the other characters: the k-th of the
// value is the k-th of the file's text from the scalar on.
func (d *document) place(n *yaml.Node, line, column int) Pos {
	before, onSpace := 0, true
	for _, r := range n.Value {
		if line == 1 && column <= 1 {
			onSpace = unicode.IsSpace(r)
			break
		}
		if r == '\n' {
			line--
		} else if line == 1 {
			column--
		}
		if !unicode.IsSpace(r) {
			before++
		}
	}
	c := d.scalarCursor(n)
	after := Pos{File: d.file, Line: c.line, Column: c.column}
	for range before {
		c.visible()
		after.Line, after.Column = c.line, c.column
	}
	if onSpace {
		return after
	}
	line, column = c.visible()
	return Pos{File: d.file, Line: line, Column: column}
}
