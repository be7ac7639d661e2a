package scenario

import (
	"maps"
	"slices"
	"strings"
)

// names are the things of one sort that a file declares, and where.
type names struct {
	sort string
	at   map[string]Pos
	// broken is set when a declaration could not be read, so that a name that
	// is not here may still be right.
	broken bool
	sorted []string // of at, as far as words was asked
}

// declare adds a name, or reports that it is taken.
func (l *loader) declare(n *names, w word) {
	if w.text == "" {
		n.broken = true
		return
	}
	if first, taken := n.at[w.text]; taken {
		l.errorf(w.pos, "the %s %q is here twice: first on line %d", n.sort, w.text, first.Line)
		return
	}
	n.add(w)
}

func (n *names) add(w word) {
	if n.at == nil {
		n.at = map[string]Pos{}
	}
	n.at[w.text] = w.pos
}

func (n *names) words() []string {
	if len(n.sorted) != len(n.at) {
		n.sorted = slices.Sorted(maps.Keys(n.at))
	}
	return n.sorted
}

// refersTo checks, once all of the file is read, that a name is declared in it.
func (l *loader) refersTo(w word, what string, to ...*names) {
	if w.text == "" {
		return
	}
	l.later(func() {
		var valid []string
		for _, n := range to {
			if _, ok := n.at[w.text]; ok || n.broken {
				return
			}
			valid = append(valid, n.words()...)
		}
		l.unknown(w.pos, what, w.text, valid)
	})
}

// oneOfWords checks a word against a fixed list.
func (l *loader) oneOfWords(w word, what string, valid []string) bool {
	if w.text == "" {
		return false
	}
	if !slices.Contains(valid, w.text) {
		l.unknown(w.pos, what, w.text, valid)
		return false
	}
	return true
}

func (l *loader) kind(w word) {
	l.oneOfWords(w, "kind", slices.Collect(maps.Keys(l.catalog.Kinds)))
}

// key checks that a key has the form that its kind asks for.
func (l *loader) key(kind, key word) {
	if kind.text == "" || key.text == "" {
		return
	}
	k, ok := l.catalog.Kinds[kind.text]
	if !ok {
		return
	}
	namespace, name, slash := strings.Cut(key.text, "/")
	switch {
	case k.Namespaced && (!slash || namespace == "" || name == "" || strings.Contains(name, "/")):
		l.errorf(key.pos, "a %s has a namespace: expected \"namespace/name\", found %q", kind.text, key.text)
	case !k.Namespaced && slash:
		l.errorf(key.pos, "a %s has no namespace: expected its name alone, found %q", kind.text, key.text)
	}
}
