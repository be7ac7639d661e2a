package scenario

import (
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/vmreplay/vmreplay/sim/engine"
)

func (d *document) schedule(n *yaml.Node) []Perturbation {
	var all []Perturbation
	at := map[string]Pos{}
	d.list(n, "schedule", func(n *yaml.Node) {
		p := d.perturbation(n)
		if first, twice := at[p.Point]; twice && p.Point != "" {
			d.errorf(p.Pos, "the point %q is perturbed already, on line %d", p.Point, first.Line)
		}
		at[p.Point] = p.Pos
		all = append(all, p)
	})
	return all
}

// seed reads the seed that a scenario fixes.
func (d *document) seed(n *yaml.Node) *uint64 {
	seed := uint64(d.number(n, "seed", 0))
	return &seed
}

var effects = []string{"status", "reset", "lost", "break", "crash", "repeat", "clock", "pause", "steal"}

// Perturbations are the words for what can be done to a decision: the effects, and
// two that can go with another.
func Perturbations() []string { return append([]string{"delay", "stale"}, effects...) }

func (d *document) perturbation(n *yaml.Node) Perturbation {
	p := Perturbation{Pos: d.pos(n)}
	problems := len(d.errs)
	m := d.mapping(n, "the perturbation", fields{
		"variants": func(n *yaml.Node) { p.Variants = d.checkVariants(n) },
		"point":    func(n *yaml.Node) { p.Point = d.text(n, "point").text },
		"delay":    func(n *yaml.Node) { p.Delay, _ = d.duration(n, "delay", 1) },
		"status":   func(n *yaml.Node) { p.Status = d.number(n, "status", 0) },
		"reset":    func(n *yaml.Node) { p.Reset = d.boolean(n, "reset") },
		"lost":     func(n *yaml.Node) { p.Lost = d.boolean(n, "lost") },
		"break": func(n *yaml.Node) {
			w := d.text(n, "break")
			d.oneOfWords(w, "break", []string{string(engine.BreakAgain), string(engine.BreakGone)})
			p.Break = engine.Break(w.text)
		},
		"crash": func(n *yaml.Node) {
			w := d.text(n, "crash")
			d.oneOfWords(w, "crash", []string{string(engine.CrashBefore), string(engine.CrashAfter)})
			p.Crash = engine.Crash(w.text)
		},
		"restart": func(n *yaml.Node) { p.Restart, _ = d.duration(n, "restart", time.Duration(0)) },
		"repeat":  func(n *yaml.Node) { p.Repeat, _ = d.duration(n, "repeat", 1) },
		"stale":   func(n *yaml.Node) { p.Stale, _ = d.duration(n, "stale", 1) },
		"clock":   func(n *yaml.Node) { p.Clock = d.offset(n, "clock") },
		"pause":   func(n *yaml.Node) { p.Pause, _ = d.duration(n, "pause", 1) },
		"steal":   func(n *yaml.Node) { p.Steal = d.boolean(n, "steal") },
	})
	m.require("point")
	m.atMostOne("what is done", effects...)
	m.goesWith("restart", "crash")
	d.needsFrontEnds(m)
	d.needsElection(m)
	if len(d.errs) == problems {
		if err := p.Validate(); err != nil {
			d.errorf(p.Pos, "%v", err)
		}
	}
	return p
}

// needsFrontEnds demands that a front-end which may be behind is declared.
func (d *document) needsFrontEnds(m *mapping) {
	at, ok := m.has["stale"]
	if !ok {
		return
	}
	d.later(func() {
		if d.frontEnds < 2 {
			d.errorf(at, "stale: one API front-end is never behind: expected %s: 2 in given.settings", FrontEnds)
		}
	})
}

// needsElection demands that there is a lease that can be stolen.
func (d *document) needsElection(m *mapping) {
	at, ok := m.has["steal"]
	if !ok {
		return
	}
	d.later(func() {
		if len(d.leases.at) == 0 && !d.leases.broken {
			d.errorf(at, "steal: no controller leads by a lease: expected one with replicas and leaderElection")
		}
	})
}

// offset reads a duration that may be negative, but is not 0.
func (d *document) offset(n *yaml.Node, what string) time.Duration {
	w := d.text(n, what)
	v, err := time.ParseDuration(w.text)
	if w.text != "" && (err != nil || v == 0) {
		d.errorf(w.pos, "%s: expected an offset like 30s or -30s, found %q", what, w.text)
	}
	return v
}
