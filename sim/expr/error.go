package expr

import "fmt"

// An Error says why a source is no expression.
type Error struct {
	Line, Column int    // within the source, from 1
	Message      string // what was expected and what was found
	Hint         string // the nearest valid word, or empty
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
	if e.Hint != "" {
		s += fmt.Sprintf("; did you mean %q?", e.Hint)
	}
	return s
}

// An Absent error says that an evaluation ended at something that is not there
// (yet): the ordinary state of a cluster, unlike any other error of Eval.
type Absent struct {
	Path   string // vmim("default/migration").status.phase
	Object bool   // the object itself is not there, not only a field
}

func (e *Absent) Error() string {
	if e.Object {
		return e.Path + " does not exist"
	}
	return e.Path + " is not set"
}
