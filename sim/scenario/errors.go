package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/nearest"
)

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// An Error is one problem of one file.
type Error struct {
	Pos     Pos
	Message string
	Hint    string // the word that was probably meant, or empty
}

// Error is one line: file:line:column: message (did you mean "x"?)
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Pos.String() + ": " + e.Message
	}
	return fmt.Sprintf("%s: %s (did you mean %q?)", e.Pos, e.Message, e.Hint)
}

// Errors are all problems that were found, sorted by position and each once.
type Errors []*Error

// Error is one line for each problem.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find the first problem.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, err := range e {
		all[i] = err
	}
	return all
}

// OrNil sorts the problems and drops repetitions: a mapping that is read twice
// (through an alias, or by two scenarios of a tree) reports its problems twice.
func (e Errors) OrNil() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(comparePos(a.Pos, b.Pos), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(e, func(a, b *Error) bool { return *a == *b })
}

func comparePos(a, b Pos) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// maxErrors is how many problems of a scenario are told. Nobody reads more, and
// looking for near words in a large file full of unknown ones takes minutes.
const maxErrors = 100

func (l *loader) report(e *Error) {
	if l.problems++; !l.tired() {
		l.errs = append(l.errs, e)
	}
}

// tired says that problems are only counted from now on.
func (l *loader) tired() bool { return l.problems > maxErrors }

func (l *loader) errorf(at Pos, format string, args ...any) {
	l.report(&Error{Pos: at, Message: fmt.Sprintf(format, args...)})
}

// maxListed is how many valid words an error spells out.
const maxListed = 16

// unknown reports a name that is none of the valid ones, with the nearest of
// them, or with all if none is near and they are few.
func (l *loader) unknown(at Pos, what, got string, valid []string) {
	if l.tired() {
		l.problems++
		return
	}
	valid = slices.Sorted(slices.Values(valid))
	e := &Error{Pos: at, Message: fmt.Sprintf("unknown %s %q", what, got), Hint: nearestWord(got, valid)}
	switch {
	case e.Hint != "":
	case len(valid) == 0:
		e.Message += ": there is none here"
	case len(valid) <= maxListed:
		e.Message += ": expected " + oneOf(valid)
	}
	l.report(e)
}

// nearestWord also takes a word for meant that differs in its capitals only.
func nearestWord(got string, valid []string) string {
	for _, word := range valid {
		if strings.EqualFold(word, got) {
			return word
		}
	}
	return nearest.Word(got, valid)
}

// oneOf is "a, b or c".
func oneOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
