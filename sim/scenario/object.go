package scenario

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

func (d *document) objectList(n *yaml.Node) []Object {
	var all []Object
	d.list(n, "objects", func(n *yaml.Node) {
		if o := d.object(n); o != nil {
			all = append(all, *o)
		}
	})
	return all
}

// object decodes one Kubernetes object and checks what identifies it. It
// returns nil after a report.
func (d *document) object(n *yaml.Node) *Object {
	problems := d.problems
	o := &Object{Content: d.tree(n, "the object"), Pos: d.pos(n)}
	if o.Content != nil {
		d.identify(n)
	}
	if d.problems > problems {
		d.nodes.broken = true
		return nil
	}
	o.Fields = d.fieldPositions(n)
	if o.Content["kind"] == "Node" {
		d.nodes.add(word{o.key(), o.Pos})
	}
	return o
}

func (d *document) identify(n *yaml.Node) {
	version, kind := d.member(n, "an object", "apiVersion"), d.member(n, "an object", "kind")
	k, known := d.objectKind(version, kind)
	metadata := d.field(n, "metadata")
	switch {
	case metadata == nil:
		d.errorf(d.pos(n), "an object needs the field %q", "metadata")
		return
	case metadata.Kind != yaml.MappingNode:
		d.errorf(d.pos(metadata), "metadata: expected a mapping, found %s", found(metadata))
		return
	}
	d.member(metadata, "the metadata of an object", "name")
	namespace := d.field(metadata, "namespace")
	switch {
	case namespace != nil && known && !k.Namespaced:
		d.errorf(d.pos(namespace), "a %s has no namespace: remove the field", kind.text)
	case namespace != nil:
		d.text(namespace, "namespace")
	case known && k.Namespaced:
		d.errorf(d.pos(metadata), "a %s has a namespace: expected the field %q", kind.text, "namespace")
	}
}

// objectKind finds the kind of an object by what the object says of itself.
func (d *document) objectKind(version, kind word) (k Kind, known bool) {
	var versions []string
	for name, k := range d.catalog.Kinds {
		if cmp.Or(k.Kind, name) != kind.text {
			continue
		}
		if k.APIVersion == version.text {
			return k, true
		}
		versions = append(versions, k.APIVersion)
	}
	switch {
	case len(versions) == 0:
		d.oneOfWords(kind, "kind", d.catalog.objectKinds())
		return Kind{}, false
	case version.text != "":
		slices.Sort(versions)
		d.errorf(version.pos, "the apiVersion of a %s is %s, found %s", kind.text, strings.Join(versions, " or "), version.text)
	}
	return Kind{}, false
}

// objectKinds are the kinds by the names that objects have for them.
func (c *Catalog) objectKinds() []string {
	var kinds []string
	for name, k := range c.Kinds {
		kinds = append(kinds, cmp.Or(k.Kind, name))
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// field is the value of a field of a mapping, or nil.
func (d *document) field(n *yaml.Node, name string) *yaml.Node {
	for _, e := range d.entries(resolve(n)) {
		if e.key.Value == name {
			return e.value
		}
	}
	return nil
}

// member reads a text that must be there.
func (d *document) member(n *yaml.Node, what, name string) word {
	value := d.field(n, name)
	if value == nil {
		d.errorf(d.pos(n), "%s needs the field %q", what, name)
		return word{pos: d.pos(n)}
	}
	return d.text(value, name)
}

// key is "namespace/name" or "name" of an object that was checked.
func (o *Object) key() string {
	metadata := o.Content["metadata"].(map[string]any)
	name := metadata["name"].(string)
	if namespace, ok := metadata["namespace"].(string); ok {
		return namespace + "/" + name
	}
	return name
}

func (d *document) objectsAreUnique(objects []Object) {
	first := map[string]Pos{}
	for _, o := range objects {
		name := o.Content["kind"].(string) + " " + o.key()
		id := o.Content["apiVersion"].(string) + " " + name
		if at, taken := first[id]; taken {
			d.errorf(o.Pos, "%s is given twice: first at %s", name, at)
			continue
		}
		first[id] = o.Pos
	}
}
