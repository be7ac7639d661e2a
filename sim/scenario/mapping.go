package scenario

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

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
