package scenario

import "go.yaml.in/yaml/v3"

// maxAliased is how many nodes all aliases of a file may stand for together.
// A few lines of nested aliases can stand for billions.
const maxAliased = 100_000

// aliasesAreSmall refuses aliases that contain themselves or that expand to
// more than maxAliased nodes, so that everything after it may follow aliases.
func (d *document) aliasesAreSmall() bool {
	m := measure{sizes: map[*yaml.Node]int{}}
	m.size(d.root)
	switch {
	case m.cyclic != nil:
		d.errorf(d.pos(m.cyclic), "the alias *%s stands inside its own anchor", m.cyclic.Value)
	case m.huge != nil:
		d.errorf(d.pos(m.huge), "the alias *%s brings the file to more than %d aliased values", m.huge.Value, maxAliased)
	default:
		return true
	}
	return false
}

type measure struct {
	sizes  map[*yaml.Node]int // 0 while the node is being measured
	total  int                // behind aliases
	cyclic *yaml.Node
	huge   *yaml.Node
}

// size is the number of nodes of a tree with its aliases written out.
func (m *measure) size(n *yaml.Node) int {
	if known, ok := m.sizes[n]; ok {
		return known
	}
	m.sizes[n] = 0
	size := 1
	if n.Kind == yaml.AliasNode {
		size += m.aliased(n)
	}
	for _, child := range n.Content {
		size = min(size+m.size(child), maxAliased+1)
	}
	m.sizes[n] = size
	return size
}

func (m *measure) aliased(n *yaml.Node) int {
	size := m.size(n.Alias)
	if size == 0 && m.cyclic == nil {
		m.cyclic = n
	}
	m.total += size
	if m.total > maxAliased && m.huge == nil {
		m.huge = n
	}
	return size
}
