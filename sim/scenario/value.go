package scenario

import (
	"math"

	"go.yaml.in/yaml/v3"
)

// value decodes a node as apimachinery decodes JSON: maps with text keys, lists,
// int64 or float64, bool, text, nil. YAML's timestamps stay text, and so do the
// words of YAML 1.1 that look like booleans ("yes", "off").
func (d *document) value(n *yaml.Node) any {
	n = resolve(n)
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for _, e := range d.entries(n) {
			m[e.key.Value] = d.value(e.value)
		}
		return m
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			list = append(list, d.value(item))
		}
		return list
	}
	return d.scalar(n)
}

func (d *document) scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!str", "!!timestamp":
		return n.Value
	case "!!bool", "!!int", "!!float":
		var v any
		if err := n.Decode(&v); err == nil {
			return d.jsonValue(n, v)
		}
	}
	d.errorf(d.pos(n), "expected a JSON value, found %q with the tag %s", n.Value, n.ShortTag())
	return nil
}

func (d *document) jsonValue(n *yaml.Node, v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case uint64:
		return float64(v) // as apimachinery does with what int64 cannot hold
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			d.errorf(d.pos(n), "expected a JSON value, found the number %s", n.Value)
			return nil
		}
	}
	return v
}

// tree decodes a mapping node; it returns nil after a report.
func (d *document) tree(n *yaml.Node, what string) map[string]any {
	at := d.pos(n)
	if n = resolve(n); n.Kind != yaml.MappingNode {
		d.errorf(at, "%s: expected a mapping, found %s", what, found(n))
		return nil
	}
	return d.value(n).(map[string]any)
}
