package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/vmreplay/vmreplay/sim/engine"
)

func (d *document) controllerList(n *yaml.Node) []Controller {
	var all []Controller
	d.list(n, "controllers", func(n *yaml.Node) { all = append(all, d.replicas(n)...) })
	if len(all) == 0 {
		d.controllers.broken = true
		if resolve(n).Kind == yaml.SequenceNode {
			d.errorf(d.pos(n), "a scenario has at least one controller, found none")
		}
		return nil
	}
	d.variants = slices.Clone(d.catalog.Controllers[all[0].Type])
	for _, c := range all[1:] {
		if c.Type != all[0].Type && c.Type != "" && all[0].Type != "" {
			d.errorf(c.Pos, "a scenario has one type of controller: %s is of type %s, but %s of type %s", c.Name, c.Type, all[0].Name, all[0].Type)
			d.variants = nil
		}
	}
	return all
}

// reserved are the processes as which the timeline and the informers' clocks
// stand in traces.
var reserved = []string{engine.User, engine.InformerClock}

// replicas reads a controller: one process, or several of numbered names.
func (d *document) replicas(n *yaml.Node) []Controller {
	c, count := d.controller(n)
	all := []Controller{c}
	for i := 2; i <= count; i++ {
		next := c
		next.Name = fmt.Sprintf("%s-%d", c.Name, i)
		d.declare(&d.controllers, word{next.Name, c.Pos})
		all = append(all, next)
	}
	return all
}

// mostReplicas is more than anybody runs of one controller.
const mostReplicas = 10

func (d *document) controller(n *yaml.Node) (c Controller, replicas int) {
	var name word
	c.Pos, replicas = d.pos(n), 1
	types := slices.Collect(maps.Keys(d.catalog.Controllers))
	d.mapping(n, "the controller", fields{
		"name": func(n *yaml.Node) { name = d.text(n, "name") },
		"type": func(n *yaml.Node) {
			if w := d.text(n, "type"); d.oneOfWords(w, "type of controller", types) {
				c.Type = w.text
			}
		},
		"replicas": func(n *yaml.Node) {
			if replicas = d.number(n, "replicas", 1); replicas > mostReplicas {
				d.errorf(d.pos(n), "replicas: expected at most %d, found %d", mostReplicas, replicas)
				replicas = 1
			}
		},
		"leaderElection": func(n *yaml.Node) { c.Lease = d.lease(n) },
	}).require("name", "type")
	if problems := validation.IsDNS1123Label(name.text); name.text != "" && len(problems) > 0 {
		d.errorf(name.pos, "the name of a process is a DNS label such as kube-ovn-controller: %s", problems[0])
	} else if slices.Contains(reserved, name.text) {
		d.errorf(name.pos, "the process %q is the scenario itself: choose another name", name.text)
	}
	c.Name = name.text
	d.declare(&d.controllers, name)
	d.later(func() {
		if _, taken := d.standIns.at[name.text]; taken {
			d.errorf(name.pos, "the process %q is a stand-in already", name.text)
		}
	})
	return c, replicas
}

// lease reads the key of the Lease by which a leader is elected.
func (d *document) lease(n *yaml.Node) string {
	w := d.text(n, "leaderElection")
	d.key(word{text: "Lease"}, w)
	if _, declared := d.leases.at[w.text]; !declared {
		d.declare(&d.leases, w)
	}
	return w.text
}

// process reads the name of a controller or stand-in.
func (d *document) process(n *yaml.Node) string {
	w := d.text(n, "process")
	d.refersTo(w, "process", &d.controllers, &d.standIns)
	return w.text
}

// killable reads the name of a process that can crash: of a controller, or of a
// stand-in that the scenario has, unless it is the memory of what runs on the
// nodes.
func (d *document) killable(n *yaml.Node, what string) string {
	w := d.text(n, what)
	d.later(func() {
		_, standIn := d.standIns.at[w.text]
		switch {
		case standIn && slices.Contains(d.catalog.Killable, w.text):
		case standIn:
			d.errorf(w.pos, "%s: %s holds what runs on the nodes, and does not crash: in this scenario %s can", what, w.text, strings.Join(d.mortal(), ", "))
		case d.isStandIn(w.text):
			d.errorf(w.pos, "%s: expected the process %q of the stand-in %s", what, d.catalog.Processes[w.text], w.text)
		default:
			d.refersTo(w, "process", &d.controllers, &d.standIns)
		}
	})
	return w.text
}

// isStandIn tells whether a word is the name of a stand-in of the scenario whose
// process is called otherwise.
func (d *document) isStandIn(name string) bool {
	_, ok := d.standIns.at[d.catalog.Processes[name]]
	return ok
}

// mortal are the processes of the scenario that can crash.
func (d *document) mortal() []string {
	all := slices.Clone(d.controllers.words())
	for _, process := range d.standIns.words() {
		if slices.Contains(d.catalog.Killable, process) {
			all = append(all, process)
		}
	}
	return all
}

func (d *document) informerClocks(n *yaml.Node) []InformerClock {
	var all []InformerClock
	type informer struct{ process, kind, object string }
	lags := map[informer]Pos{}
	d.list(n, "informerClock", func(n *yaml.Node) {
		c := d.informerClock(n)
		all = append(all, c)
		if c.Lag == nil {
			return
		}
		id := informer{c.Process, c.Kind, c.Object}
		if first, ok := lags[id]; ok {
			d.errorf(c.Pos, "this informer has a lag already, on line %d", first.Line)
			return
		}
		lags[id] = c.Pos
	})
	return all
}

func (d *document) informerClock(n *yaml.Node) InformerClock {
	c := InformerClock{Pos: d.pos(n)}
	var kind, object word
	m := d.mapping(n, "the informer's clock", fields{
		"process": func(n *yaml.Node) { c.Process = d.process(n) },
		"kind":    func(n *yaml.Node) { kind = d.text(n, "kind"); d.kind(kind) },
		"object":  func(n *yaml.Node) { object = d.text(n, "object") },
		"lag": func(n *yaml.Node) {
			lag, _ := d.duration(n, "lag", 0)
			c.Lag = &lag
		},
		"hold": func(n *yaml.Node) { c.Hold = d.hold(n) },
	})
	m.require("process", "kind")
	m.exactlyOne("what happens to the informer", "lag", "hold")
	d.key(kind, object)
	c.Kind, c.Object = kind.text, object.text
	return c
}

func (d *document) hold(n *yaml.Node) *Hold {
	var h Hold
	d.mapping(n, "hold", fields{
		"from": func(n *yaml.Node) { h.From = d.instant(n, "from") },
		"until": func(n *yaml.Node) {
			until := d.instant(n, "until")
			h.Until = &until
		},
	}).require("from")
	if u := h.Until; u != nil && u.Event == "" && h.From.Event == "" && h.From.Pos != (Pos{}) && u.Offset <= h.From.Offset {
		d.errorf(u.Pos, "a hold ends after it begins: until is %s, from is %s", shortDuration(u.Offset), shortDuration(h.From.Offset))
	}
	return &h
}
