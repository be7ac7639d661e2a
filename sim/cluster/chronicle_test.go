package cluster_test

import (
	"strings"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// A chronicle is what happened to a machine, its instance and its pods, a line
// each, with instants: "5.013s instance Failed".
type chronicle struct {
	w     *world
	lines []string
}

// chronicle begins one.
func (w *world) chronicle() *chronicle {
	c := &chronicle{w: w}
	w.API.Observe(func(ch change) {
		var before, after map[string]any
		if ch.Before != nil {
			before = ch.Before.Content()
		}
		if ch.After != nil {
			after = ch.After.Content()
		}
		switch ch.Ref.Kind {
		case facts.KindVM:
			c.differ("requests ", requestsOf(before), requestsOf(after))
			c.differ("shows ", field(before, "status", "printableStatus"), field(after, "status", "printableStatus"))
		case facts.KindVMI:
			c.life("instance", before, after)
		case facts.KindPod:
			c.life("pod", before, after)
		}
	})
	return c
}

func (c *chronicle) life(what string, before, after map[string]any) {
	switch {
	case before == nil:
		c.add(what + " created, zone " + field(after, "spec", "nodeSelector", "zone"))
		return
	case after == nil:
		c.add(what + " gone")
		return
	case field(before, "metadata", "deletionTimestamp") == "-" && field(after, "metadata", "deletionTimestamp") != "-":
		c.add(what + " in deletion")
	}
	c.differ(what+" ", field(before, "status", "phase"), field(after, "status", "phase"))
	c.differ(what+" zone ", field(before, "spec", "nodeSelector", "zone"), field(after, "spec", "nodeSelector", "zone"))
}

func (c *chronicle) differ(what, before, after string) {
	if before != after {
		c.add(what + after)
	}
}

func (c *chronicle) add(line string) {
	c.lines = append(c.lines, c.w.Engine.Elapsed().String()+" "+line)
}

// field is the text at a path; "-" if there is none.
func field(content map[string]any, path ...string) string {
	if s := standin.String(content, path...); s != "" {
		return s
	}
	return "-"
}

func requestsOf(vm map[string]any) string {
	var actions []string
	for _, r := range facts.StateChanges(vm) {
		actions = append(actions, r.Action)
	}
	if len(actions) == 0 {
		return "none"
	}
	return strings.Join(actions, ", ")
}
