package scenario

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// Names of the checks that every run makes by itself. Verdicts may name them.
const (
	NoLeak  = "no-leak"  // no goroutine of a process is left after the run
	NoPanic = "no-panic" // no process panics
	HotLoop = "hot-loop" // no key is worked on without end
	NoExit  = "no-exit"  // no process ends by itself
	// ScheduleApplies: every perturbation of the schedule applies to something.
	ScheduleApplies = "schedule"
	// Timeline: every event of the timeline happens.
	Timeline = "timeline"
	// Informers: every lag and hold applies to something.
	Informers = "informer-clock"
)

var builtin = []string{HotLoop, Informers, NoExit, NoLeak, NoPanic, ScheduleApplies, Timeline}

// expectable are those that a variant may be expected to fail. The others say
// that the story itself did not happen, and then it proves nothing.
var expectable = []string{HotLoop, NoExit, NoLeak, NoPanic}

var sorts = []string{"eventually", "always", "never", "stays", "backoff", "rate", "quiet", "leaderOnly", "sometimes"}

// Sorts are the words for what a check of a scenario can demand.
func Sorts() []string { return slices.Clone(sorts) }

func (d *document) checkList(n *yaml.Node) []Check {
	var all []Check
	d.list(n, "expect", func(n *yaml.Node) { all = append(all, d.check(n)) })
	return all
}

func (d *document) check(n *yaml.Node) Check {
	c := Check{Pos: d.pos(n)}
	var name word
	var e Eventually
	var s Stays
	m := d.mapping(n, "the check", fields{
		"name":     func(n *yaml.Node) { name = d.text(n, "name") },
		"variants": func(n *yaml.Node) { c.Variants = d.checkVariants(n) },
		"written":  func(n *yaml.Node) { c.Written = d.boolean(n, "written") },

		"eventually": func(n *yaml.Node) { e.Expr, c.Eventually = *d.expr(n, "eventually"), &e },
		"within": func(n *yaml.Node) {
			within, ok := d.duration(n, "within", 0)
			if e.Within = within; ok {
				d.beforeEnd(n, "within", within)
			}
		},
		"of": func(n *yaml.Node) {
			of := d.instant(n, "of")
			e.Of = &of
		},
		"ofWhen":  func(n *yaml.Node) { e.OfWhen = d.expr(n, "ofWhen") },
		"lasting": func(n *yaml.Node) { e.Lasting = d.boolean(n, "lasting") },

		"always": func(n *yaml.Node) { c.Always = d.expr(n, "always") },
		"never":  func(n *yaml.Node) { c.Never = d.expr(n, "never") },
		"stays":  func(n *yaml.Node) { s.Expr, c.Stays = *d.expr(n, "stays"), &s },
		"for": func(n *yaml.Node) {
			length, ok := d.duration(n, "for", 1)
			if s.For = length; ok {
				d.beforeEnd(n, "for", length)
			}
		},
		"backoff": func(n *yaml.Node) { c.Backoff = d.backoff(n) },
		"rate":    func(n *yaml.Node) { c.Rate = d.rate(n) },
		"quiet":   func(n *yaml.Node) { c.Quiet = d.quiet(n) },
		"leaderOnly": func(n *yaml.Node) {
			w := d.text(n, "leaderOnly")
			d.refersTo(w, "lease of a leaderElection", &d.leases)
			c.LeaderOnly = w.text
		},
		"sometimes": func(n *yaml.Node) { c.Sometimes = d.expr(n, "sometimes") },
	})
	m.require("name")
	m.exactlyOne("what it checks", sorts...)
	m.goesWith("within", "eventually")
	m.goesWith("of", "eventually")
	m.goesWith("ofWhen", "eventually")
	m.goesWith("lasting", "eventually")
	m.goesWith("for", "stays")
	m.atMostOne("since when", "of", "ofWhen")
	d.deadlineIsInTime(m, &e)
	c.Name = name.text
	d.declareCheck(name, c.Variants)
	return c
}

// deadlineIsInTime demands a deadline, and one that the run reaches.
func (d *document) deadlineIsInTime(m *mapping, e *Eventually) {
	if _, ok := m.has["eventually"]; !ok {
		return
	}
	m.require("within")
	d.later(func() {
		if e.Of != nil && e.Of.Event == "" && d.until > 0 && e.Within <= d.until && e.Of.Offset <= d.until && e.Within > d.until-e.Of.Offset {
			d.errorf(m.has["within"], "within %s of %s is beyond the end of the run: until is %s",
				shortDuration(e.Within), shortDuration(e.Of.Offset), shortDuration(d.until))
		}
	})
}

func (d *document) checkVariants(n *yaml.Node) []string {
	all := d.words(n, "variant")
	if r := resolve(n); r.Kind == yaml.SequenceNode && len(r.Content) == 0 {
		d.errorf(d.pos(n), "variants: expected at least one; without the field the check is made for all")
	}
	d.later(func() {
		for _, w := range all {
			if d.variants != nil {
				d.oneOfWords(w, "variant", d.variants)
			}
		}
	})
	return texts(all)
}

func (d *document) declareCheck(name word, variants []string) {
	if slices.Contains(builtin, name.text) {
		d.errorf(name.pos, "every run makes the check %q by itself: choose another name", name.text)
		return
	}
	d.declare(&d.checks, name)
	if d.checksOf == nil {
		d.checksOf = map[string][]string{}
	}
	d.checksOf[name.text] = variants
}

func (d *document) backoff(n *yaml.Node) *Backoff {
	var b Backoff
	m := d.mapping(n, "backoff", fields{
		"process":  func(n *yaml.Node) { b.Process = d.process(n) },
		"queue":    func(n *yaml.Node) { b.Queue = d.text(n, "queue").text },
		"key":      func(n *yaml.Node) { b.Key = d.text(n, "key").text },
		"first":    func(n *yaml.Node) { b.First, _ = d.duration(n, "first", 1) },
		"factor":   func(n *yaml.Node) { b.Factor = d.number(n, "factor", 1) },
		"cap":      func(n *yaml.Node) { b.Cap, _ = d.duration(n, "cap", 1) },
		"attempts": func(n *yaml.Node) { b.Attempts = d.number(n, "attempts", 0) },
	})
	m.require("process", "queue", "key", "first", "factor", "cap")
	if b.Cap > 0 && b.Cap < b.First {
		d.errorf(m.has["cap"], "cap: the longest delay (%s) is shorter than the first (%s)", shortDuration(b.Cap), shortDuration(b.First))
	}
	return &b
}

var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "write"}

func (d *document) rate(n *yaml.Node) *Rate {
	var r Rate
	var kind, object word
	m := d.mapping(n, "rate", fields{
		"process": func(n *yaml.Node) { r.Process = d.process(n) },
		"verb": func(n *yaml.Node) {
			w := d.text(n, "verb")
			d.oneOfWords(w, "verb", verbs)
			r.Verb = w.text
		},
		"kind":   func(n *yaml.Node) { kind = d.text(n, "kind"); d.kind(kind) },
		"object": func(n *yaml.Node) { object = d.text(n, "object") },
		"atMost": func(n *yaml.Node) { r.AtMost = d.number(n, "atMost", 0) },
		"per":    func(n *yaml.Node) { r.Per, _ = d.duration(n, "per", 1) },
	})
	m.require("atMost", "per")
	d.key(kind, object)
	r.Kind, r.Object = kind.text, object.text
	return &r
}

func (d *document) quiet(n *yaml.Node) *Quiet {
	var q Quiet
	d.mapping(n, "quiet", fields{
		"process": func(n *yaml.Node) { q.Process = d.process(n) },
		"from":    func(n *yaml.Node) { q.From = d.instant(n, "from") },
	}).require("from")
	d.later(func() {
		if q.From.Event == "" && q.From.Pos != (Pos{}) && d.until > 0 && q.From.Offset == d.until {
			d.errorf(q.From.Pos, "quiet: nothing can happen from %s on: that is the end of the run", shortDuration(q.From.Offset))
		}
	})
	return &q
}
