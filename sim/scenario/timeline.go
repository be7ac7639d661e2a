package scenario

import (
	"maps"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/labels"
)

var actions = []string{"apply", "patch", "delete", "bind", "cordon", "uncordon", "evict", "crash", "restart", "mark"}

// propagations are what a deletion does about the dependents of the object.
var propagations = []string{"Background", "Foreground", "Orphan"}

func (d *document) timeline(n *yaml.Node) []Event {
	var all []Event
	d.list(n, "timeline", func(n *yaml.Node) { all = append(all, d.event(n)) })
	d.later(func() { d.onceIsAcyclic(all) })
	return all
}

func (d *document) event(n *yaml.Node) Event {
	e := Event{Pos: d.pos(n)}
	table := d.eventTimes(&e)
	maps.Copy(table, d.eventActions(&e))
	m := d.mapping(n, "the event", table)
	m.exactlyOne("when it happens", "at", "when", "once")
	m.exactlyOne("what happens", actions...)
	m.goesWith("after", "when", "once")
	if at, ok := m.has["mark"]; ok && e.Name == "" {
		d.errorf(at, "a mark needs a name: it is there to be referred to")
	}
	return e
}

func (d *document) eventTimes(e *Event) fields {
	return fields{
		"name": func(n *yaml.Node) { e.Name = d.eventName(n) },
		"at": func(n *yaml.Node) {
			at, ok := d.duration(n, "at", 0)
			if e.At = &at; ok {
				d.beforeEnd(n, "at", at)
			}
		},
		"when": func(n *yaml.Node) { e.When = d.expr(n, "when") },
		"once": func(n *yaml.Node) {
			w := d.text(n, "once")
			d.refersTo(w, "event", &d.events)
			e.Once = w.text
		},
		"after": func(n *yaml.Node) {
			after, ok := d.duration(n, "after", 0)
			if e.After = after; ok {
				d.beforeEnd(n, "after", after)
			}
		},
	}
}

func (d *document) eventActions(e *Event) fields {
	return fields{
		"apply":    func(n *yaml.Node) { e.Apply = d.object(n) },
		"patch":    func(n *yaml.Node) { e.Patch = d.patch(n) },
		"delete":   func(n *yaml.Node) { e.Delete = d.deletion(n) },
		"bind":     func(n *yaml.Node) { e.Bind = d.bind(n) },
		"cordon":   func(n *yaml.Node) { e.Cordon = d.node(n, "cordon") },
		"uncordon": func(n *yaml.Node) { e.Uncordon = d.node(n, "uncordon") },
		"evict":    func(n *yaml.Node) { e.Evict = d.eviction(n) },
		"crash":    func(n *yaml.Node) { e.Crash = d.killable(n, "crash") },
		"restart":  func(n *yaml.Node) { e.Restart = d.killable(n, "restart") },
		"mark": func(n *yaml.Node) {
			problems := d.problems
			if e.Mark = d.boolean(n, "mark"); !e.Mark && d.problems == problems {
				d.errorf(d.pos(n), "mark: expected true, found false")
			}
		},
	}
}

func (d *document) eventName(n *yaml.Node) string {
	w := d.text(n, "name")
	if looksLikeDuration(w.text) {
		d.errorf(w.pos, "the name of an event starts with a letter, or it would be read as a duration: found %q", w.text)
	}
	d.declare(&d.events, w)
	return w.text
}

func (d *document) patch(n *yaml.Node) *Patch {
	p := &Patch{Pos: d.pos(n)}
	var kind, name word
	d.mapping(n, "the patch", fields{
		"kind": func(n *yaml.Node) { kind = d.text(n, "kind"); d.kind(kind) },
		"name": func(n *yaml.Node) { name = d.text(n, "name") },
		"subresource": func(n *yaml.Node) {
			w := d.text(n, "subresource")
			d.oneOfWords(w, "subresource", []string{"status"})
			p.Subresource = w.text
		},
		"merge": func(n *yaml.Node) { p.Merge = d.tree(n, "merge") },
	}).require("kind", "name", "merge")
	d.key(kind, name)
	p.Kind, p.Name = kind.text, name.text
	return p
}

func (d *document) deletion(n *yaml.Node) *Delete {
	del := &Delete{Pos: d.pos(n)}
	var kind, name word
	m := d.mapping(n, "the deletion", fields{
		"kind":     func(n *yaml.Node) { kind = d.text(n, "kind"); d.kind(kind) },
		"name":     func(n *yaml.Node) { name = d.text(n, "name") },
		"selector": func(n *yaml.Node) { del.Selector = d.selector(n) },
		"gracePeriod": func(n *yaml.Node) {
			period, _ := d.duration(n, "gracePeriod", 0)
			if period%time.Second != 0 {
				d.errorf(d.pos(n), "gracePeriod: Kubernetes counts whole seconds, found %s", resolve(n).Value)
			}
			del.GracePeriod = &period
		},
		"propagation": func(n *yaml.Node) {
			w := d.text(n, "propagation")
			d.oneOfWords(w, "propagation", propagations)
			del.Propagation = w.text
		},
	})
	m.require("kind")
	m.exactlyOne("which objects go", "name", "selector")
	d.key(kind, name)
	del.Kind, del.Name = kind.text, name.text
	return del
}

// eviction reads the name of a pod, or a selector of pods.
func (d *document) eviction(n *yaml.Node) *Delete {
	del := &Delete{Kind: "Pod", Pos: d.pos(n)}
	if resolve(n).Kind != yaml.MappingNode {
		del.Name = d.keyOf(n, "Pod", "evict")
		return del
	}
	d.mapping(n, "the eviction", fields{
		"selector": func(n *yaml.Node) { del.Selector = d.selector(n) },
	}).require("selector")
	return del
}

func (d *document) selector(n *yaml.Node) string {
	w := d.text(n, "selector")
	if _, err := labels.Parse(w.text); err != nil {
		d.errorf(w.pos, "selector: expected a label selector such as app=web, found %q: %v", w.text, err)
	}
	return w.text
}

func (d *document) bind(n *yaml.Node) *Bind {
	b := &Bind{Pos: d.pos(n)}
	d.mapping(n, "the binding", fields{
		"pod":  func(n *yaml.Node) { b.Pod = d.keyOf(n, "Pod", "pod") },
		"node": func(n *yaml.Node) { b.Node = d.keyOf(n, "Node", "node") },
	}).require("pod", "node")
	return b
}

func (d *document) keyOf(n *yaml.Node, kind, what string) string {
	w := d.text(n, what)
	d.key(word{text: kind}, w)
	return w.text
}

// node reads the name of a node that the scenario itself brings in: nobody else
// makes nodes.
func (d *document) node(n *yaml.Node, what string) string {
	w := d.text(n, what)
	d.refersTo(w, "node", &d.nodes)
	return w.text
}

// onceIsAcyclic reports each ring of events that wait for each other, once.
func (d *document) onceIsAcyclic(events []Event) {
	waits := map[string]Event{}
	for _, e := range events {
		if e.Name != "" && e.Once != "" {
			waits[e.Name] = e
		}
	}
	done := map[string]bool{}
	for _, e := range events {
		var chain []string
		at := map[string]int{}
		for name := e.Name; name != "" && !done[name]; name = waits[name].Once {
			if i, ok := at[name]; ok {
				d.errorf(waits[name].Pos, "the events wait for each other: %s", strings.Join(append(chain[i:], name), " -> "))
				break
			}
			at[name] = len(chain)
			chain = append(chain, name)
		}
		for _, name := range chain {
			done[name] = true
		}
	}
}
