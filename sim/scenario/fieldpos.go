package scenario

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// At is where a field of an object stands, by the path that the API server has
// for it: "spec.tolerations[0].effect". Of a field that is not there, it is where
// the innermost one around it stands.
func (o *Object) At(path string) Pos {
	for path != "" {
		if at, ok := o.Fields[path]; ok {
			return at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return o.Pos
}

// fieldPositions are the positions of all values of a mapping by their paths.
func (d *document) fieldPositions(n *yaml.Node) map[string]Pos {
	all := map[string]Pos{}
	d.notePositions(all, "", n)
	return all
}

func (d *document) notePositions(all map[string]Pos, path string, n *yaml.Node) {
	n = resolve(n)
	switch n.Kind {
	case yaml.MappingNode:
		for _, e := range d.entries(n) {
			field := strings.TrimPrefix(path+"."+e.key.Value, ".")
			all[field] = d.pos(e.value)
			d.notePositions(all, field, e.value)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			field := fmt.Sprintf("%s[%d]", path, i)
			all[field] = d.pos(item)
			d.notePositions(all, field, item)
		}
	}
}
