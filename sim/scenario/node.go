package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

func (d *document) pos(n *yaml.Node) Pos {
	return Pos{File: d.file, Line: max(1, n.Line), Column: max(1, n.Column)}
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// found describes a node to somebody who wrote something else than expected.
func found(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(n):
		return "nothing"
	case n.ShortTag() == "!!int" || n.ShortTag() == "!!float":
		return "the number " + n.Value
	case n.ShortTag() == "!!bool":
		return n.Value
	}
	return fmt.Sprintf("the text %q", n.Value)
}

// An entry is one field of a mapping.
type entry struct{ key, value *yaml.Node }

// entries are the fields of a mapping in their order, then those merged in by
// "<<" that it does not have itself. Keys are text, and each is there once.
func (d *document) entries(n *yaml.Node) []entry {
	first := map[string]*yaml.Node{}
	var all, merged []entry
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolve(n.Content[i]), resolve(n.Content[i+1])
		switch {
		case key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge":
			merged = append(merged, d.merged(value)...)
		case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" && key.ShortTag() != "!!timestamp":
			d.errorf(d.pos(n.Content[i]), "expected text as the name of a field, found %s", found(key))
		case first[key.Value] != nil:
			d.errorf(d.pos(n.Content[i]), "field %q is here twice: first on line %d", key.Value, first[key.Value].Line)
		default:
			first[key.Value] = key
			all = append(all, entry{key, value})
		}
	}
	for _, e := range merged {
		if first[e.key.Value] == nil {
			first[e.key.Value] = e.key
			all = append(all, e)
		}
	}
	return all
}

// merged are the fields that a "<<" brings in: those of a mapping, or of
// several, of which earlier ones win.
func (d *document) merged(n *yaml.Node) []entry {
	switch n.Kind {
	case yaml.MappingNode:
		return d.entries(n)
	case yaml.SequenceNode:
		var all []entry
		for _, item := range n.Content {
			if item = resolve(item); item.Kind == yaml.MappingNode {
				all = append(all, d.entries(item)...)
			} else {
				d.errorf(d.pos(item), "expected a mapping to merge, found %s", found(item))
			}
		}
		return all
	}
	d.errorf(d.pos(n), "expected a mapping to merge, found %s", found(n))
	return nil
}

// fields are what a mapping may hold, each with what reads its value.
type fields map[string]func(*yaml.Node)

// A mapping is one that was read, for rules about which fields go together.
type mapping struct {
	d     *document
	what  string
	pos   Pos
	has   map[string]Pos
	typos map[string]bool // the fields that misspelt ones were probably meant to be
}

// mapping reads a mapping node. A problem of a field is reported, and the others
// are read all the same.
func (d *document) mapping(n *yaml.Node, what string, table fields) *mapping {
	m := &mapping{d: d, what: what, pos: d.pos(n), has: map[string]Pos{}, typos: map[string]bool{}}
	if n = resolve(n); n.Kind != yaml.MappingNode {
		d.errorf(m.pos, "%s: expected a mapping, found %s", what, found(n))
		m.has = nil
		return m
	}
	names := slices.Sorted(maps.Keys(table))
	for _, e := range d.entries(n) {
		at := d.pos(e.key)
		read := table[e.key.Value]
		if read == nil {
			d.unknown(at, "field of "+what, e.key.Value, names)
			m.typos[nearestWord(e.key.Value, names)] = true
			continue
		}
		m.has[e.key.Value] = at
		read(e.value)
	}
	return m
}

// require reports those of the fields that are missing.
func (m *mapping) require(names ...string) {
	for _, name := range names {
		if _, ok := m.has[name]; !ok && m.has != nil && !m.typos[name] {
			m.d.errorf(m.pos, "%s needs the field %q", m.what, name)
		}
	}
}

// given are those of the fields that are there.
func (m *mapping) given(names ...string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, ok := m.has[name]
		return !ok
	})
}

// exactlyOne reports a group of fields of which none or several are there.
func (m *mapping) exactlyOne(purpose string, names ...string) {
	if m.has == nil || slices.ContainsFunc(names, func(n string) bool { return m.typos[n] }) {
		return
	}
	if len(m.given(names...)) == 0 {
		m.d.errorf(m.pos, "%s does not say %s: expected %s", m.what, purpose, oneOf(names))
	}
	m.atMostOne(purpose, names...)
}

// atMostOne reports each field of the group but the first in the file.
func (m *mapping) atMostOne(purpose string, names ...string) {
	there := m.given(names...)
	slices.SortFunc(there, func(a, b string) int { return comparePos(m.has[a], m.has[b]) })
	for i, name := range there {
		if i > 0 {
			m.d.errorf(m.has[name], "%q cannot stand beside %q: only one of %s says %s", name, there[0], oneOf(names), purpose)
		}
	}
}

// goesWith reports a field that is there without any that it belongs to.
func (m *mapping) goesWith(name string, others ...string) {
	if at, ok := m.has[name]; ok && len(m.given(others...)) == 0 {
		m.d.errorf(at, "%q goes with %s only", name, oneOf(others))
	}
}

// list reads each item of a list.
func (d *document) list(n *yaml.Node, what string, read func(*yaml.Node)) {
	if n = resolve(n); n.Kind != yaml.SequenceNode {
		d.errorf(d.pos(n), "%s: expected a list, found %s", what, found(n))
		return
	}
	for _, item := range n.Content {
		read(item)
	}
}

// A word is a text and where it stands.
type word struct {
	text string
	pos  Pos
}

// text reads a text that is not empty; it returns an empty word after a report.
func (d *document) text(n *yaml.Node, what string) word {
	w := word{pos: d.pos(n)}
	n = resolve(n)
	isText := n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!str" || n.ShortTag() == "!!timestamp")
	switch {
	case !isText:
		d.errorf(w.pos, "%s: expected text, found %s", what, found(n))
	case n.Value == "":
		d.errorf(w.pos, "%s: expected text, found an empty one", what)
	default:
		w.text = n.Value
	}
	return w
}

// words reads a list of texts, each of them once.
func (d *document) words(n *yaml.Node, what string) []word {
	var all []word
	there := map[string]bool{}
	d.list(n, what, func(item *yaml.Node) {
		w := d.text(item, what)
		switch {
		case w.text == "":
		case there[w.text]:
			d.errorf(w.pos, "%s: %q is here twice", what, w.text)
		default:
			there[w.text] = true
			all = append(all, w)
		}
	})
	return all
}

func texts(words []word) []string {
	var all []string
	for _, w := range words {
		all = append(all, w.text)
	}
	return all
}

// number reads a whole number that is at least least.
func (d *document) number(n *yaml.Node, what string, least int) int {
	at := d.pos(n)
	n = resolve(n)
	i, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || err != nil || i < least {
		d.errorf(at, "%s: expected a whole number of at least %d, found %s", what, least, found(n))
		return least
	}
	return i
}

func (d *document) boolean(n *yaml.Node, what string) bool {
	at := d.pos(n)
	n = resolve(n)
	b, err := strconv.ParseBool(n.Value)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" || err != nil {
		d.errorf(at, "%s: expected true or false, found %s", what, found(n))
	}
	return b
}
