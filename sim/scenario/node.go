package scenario

import (
	"fmt"

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
