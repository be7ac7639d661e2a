package explore

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Changes of a scenario's file that keep everything else as it is written.

// content is a node behind an alias.
func content(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// field is the value of a mapping's field, or nil.
func field(m *yaml.Node, name string) *yaml.Node {
	if i := position(m, name); i >= 0 {
		return content(m.Content[i+1])
	}
	return nil
}

func position(m *yaml.Node, name string) int {
	for i := 0; m != nil && i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == name {
			return i
		}
	}
	return -1
}

// set gives a field a value: in its place, or if it has none before another
// field, or at the end.
func set(m *yaml.Node, name string, value any, before string) {
	v := &yaml.Node{}
	if err := v.Encode(value); err != nil {
		panic(fmt.Sprintf("a plain value became no YAML: %v", err))
	}
	if i := position(m, name); i >= 0 {
		m.Content[i+1] = v
		return
	}
	at := position(m, before)
	if at < 0 {
		at = len(m.Content)
	}
	m.Content = slices.Insert(m.Content, at, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, v)
}

func drop(m *yaml.Node, name string) {
	if i := position(m, name); i >= 0 {
		m.Content = slices.Delete(m.Content, i, i+2)
	}
}

// remove leaves items out of a list.
func remove(list *yaml.Node, indexes []int) {
	if list == nil || len(indexes) == 0 {
		return
	}
	var kept []*yaml.Node
	for i, n := range list.Content {
		if !slices.Contains(indexes, i) {
			kept = append(kept, n)
		}
	}
	list.Content = kept
}
