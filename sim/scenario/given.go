package scenario

import (
	"cmp"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

func (d *document) given(n *yaml.Node) Given {
	var g Given
	var fixtures []word
	var own []Object
	d.mapping(n, "given", fields{
		"fixtures": func(n *yaml.Node) { fixtures = d.words(n, "fixture") },
		"objects":  func(n *yaml.Node) { own = d.objectList(n) },
		"standIns": func(n *yaml.Node) { g.StandIns = d.standInList(n) },
		"settings": func(n *yaml.Node) { g.Settings = d.settings(n) },
	})
	g.Fixtures = texts(fixtures)
	for _, f := range fixtures {
		g.Objects = append(g.Objects, d.fixture(f, nil)...)
	}
	g.Objects = append(g.Objects, own...)
	d.objectsAreUnique(g.Objects)
	return g
}

func (d *document) standInList(n *yaml.Node) []string {
	all := d.words(n, "stand-in")
	for _, w := range all {
		d.oneOfWords(w, "stand-in", d.catalog.StandIns)
		d.declare(&d.standIns, word{cmp.Or(d.catalog.Processes[w.text], w.text), w.pos})
	}
	return texts(all)
}

func (d *document) settings(n *yaml.Node) []Setting {
	at := d.pos(n)
	if n = resolve(n); n.Kind != yaml.MappingNode {
		d.errorf(at, "settings: expected a mapping, found %s", found(n))
		return nil
	}
	keys := slices.Collect(maps.Keys(d.catalog.Settings))
	var all []Setting
	for _, e := range d.entries(n) {
		key := word{e.key.Value, d.pos(e.key)}
		if d.oneOfWords(key, "setting", keys) {
			all = append(all, d.setting(key, e.value))
		}
	}
	return all
}

// setting keeps the text of the value, whatever YAML makes of it.
func (d *document) setting(key word, value *yaml.Node) Setting {
	s := Setting{Key: key.text, Value: value.Value, Pos: key.pos}
	if value.Kind != yaml.ScalarNode || isNull(value) {
		d.errorf(d.pos(value), "setting %q: expected a value, found %s", key.text, found(value))
	} else if right := d.catalog.Settings[key.text]; right != nil {
		if err := right(value.Value); err != nil {
			d.errorf(d.pos(value), "setting %q: %v", key.text, err)
		}
	}
	return s
}
