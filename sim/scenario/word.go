package scenario

import (
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

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
	case what == "name" && strings.ContainsFunc(n.Value, unicode.IsControl):
		d.errorf(w.pos, "name: expected a line of text, found %q", n.Value)
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
