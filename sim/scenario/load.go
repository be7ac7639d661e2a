package scenario

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/vmreplay/vmreplay/sim/expr"
	"go.yaml.in/yaml/v3"
)

// Load reads the scenario in one file of fsys. Fixtures are read from fixtures:
// the fixture "vmim/two-nodes" is its file vmim/two-nodes.yaml. Names are
// checked against cat and expressions compiled with env. The error is an Errors
// with all problems of the file and of the fixtures it names.
//
// File names in positions are as fsys knows them, unless fsys has a method
// Display(name string) string that tells how the user calls them.
func Load(fsys fs.FS, path string, fixtures fs.FS, cat Catalog, env *expr.Env) (*Scenario, error) {
	l := &loader{catalog: cat, env: env, fixtures: fixtures, compiled: map[string]error{}}
	l.controllers.sort, l.standIns.sort = "process", "stand-in"
	l.events.sort, l.checks.sort = "event", "check"
	l.leases.sort = "lease"
	var s *Scenario
	if d := l.read(fsys, path); d != nil {
		s = d.scenario(fileName(path))
	}
	for len(l.deferred) > 0 {
		check := l.deferred[0]
		l.deferred = l.deferred[1:]
		check()
	}
	if l.tired() {
		at := Pos{File: display(fsys, path), Line: 1, Column: 1}
		l.errs = append(l.errs, &Error{Pos: at, Message: fmt.Sprintf("there are %d problems: only %d are listed", l.problems, maxErrors)})
	}
	if err := l.errs.OrNil(); err != nil {
		return nil, err
	}
	return s, nil
}

// A loader gathers what one scenario consists of, over all its files.
type loader struct {
	catalog  Catalog
	env      *expr.Env
	fixtures fs.FS
	errs     Errors
	problems int              // how many were found, told or not
	compiled map[string]error // what is wrong with the expressions so far
	deferred []func()         // what can be checked only when all files are read

	// What the files declare.
	until       time.Duration // 0 if it is not known
	controllers names
	standIns    names // by process
	events      names
	checks      names
	checksOf    map[string][]string // check -> its variants; none means all
	variants    []string            // nil if they are not known
	loaded      map[string]bool     // fixtures
	nodes       names
	leases      names // by which replicas elect a leader
	frontEnds   int   // of the API
	redIsBroken bool  // so that it is not known which variants are red
}

func (l *loader) later(check func()) { l.deferred = append(l.deferred, check) }

// fileName is the name of a file without folder and ending.
func fileName(name string) string {
	base := path.Base(name)
	return strings.TrimSuffix(base, path.Ext(base))
}

// display is how errors call a file.
func display(fsys fs.FS, name string) string {
	if named, ok := fsys.(interface{ Display(string) string }); ok {
		return named.Display(name)
	}
	return name
}

// header checks that a file is of the wanted kind. If it is not, its fields
// would all be unknown, so it is not read any further.
func (d *document) header(kind string) bool {
	if d.root.Kind != yaml.MappingNode {
		d.errorf(d.pos(d.root), "expected a %s (a mapping with apiVersion and kind), found %s", kind, found(d.root))
		return false
	}
	right := true
	for _, want := range []struct{ field, value string }{{"apiVersion", APIVersion}, {"kind", kind}} {
		n := child(d.root, want.field)
		switch {
		case n == nil:
			d.errorf(d.pos(d.root), "expected a %s, found a file without the field %q: write %s: %s", kind, want.field, want.field, want.value)
		case n.Value != want.value:
			d.errorf(d.pos(n), "expected %s: %s, found %s", want.field, want.value, found(n))
		default:
			continue
		}
		right = false
	}
	return right
}

// child is the value of a field, or nil.
func child(n *yaml.Node, field string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if resolve(n.Content[i]).Value == field {
			return resolve(n.Content[i+1])
		}
	}
	return nil
}

func (d *document) scenario(name string) *Scenario {
	if !d.header(KindScenario) {
		return nil
	}
	s := &Scenario{APIVersion: APIVersion, Kind: KindScenario, Pos: d.pos(d.root)}
	control := Pos{}
	m := d.mapping(d.root, "the scenario", fields{
		"apiVersion":    func(*yaml.Node) {},
		"kind":          func(*yaml.Node) {},
		"metadata":      func(n *yaml.Node) { s.Metadata, control = d.metadata(n, name) },
		"description":   func(n *yaml.Node) { s.Description = d.text(n, "description").text },
		"given":         func(n *yaml.Node) { s.Given = d.given(n); d.frontEnds = s.Given.FrontEnds() },
		"controllers":   func(n *yaml.Node) { s.Controllers = d.controllerList(n) },
		"timeline":      func(n *yaml.Node) { s.Timeline = d.timeline(n) },
		"informerClock": func(n *yaml.Node) { s.Informers = d.informerClocks(n) },
		"schedule":      func(n *yaml.Node) { s.Schedule = d.schedule(n) },
		"seed":          func(n *yaml.Node) { s.Seed = d.seed(n) },
		"grace":         func(n *yaml.Node) { s.Grace, _ = d.duration(n, "grace", 1) },
		"until":         func(n *yaml.Node) { s.Until = d.length(n) },
		"expect":        func(n *yaml.Node) { s.Expect = d.checkList(n) },
		"verdicts":      func(n *yaml.Node) { s.Verdicts = d.verdicts(n) },
	})
	d.until = s.Until
	m.require("metadata", "controllers", "until", "verdicts")
	d.later(func() { d.controlIsRight(s, control) })
	return s
}

// longest is how long a run may take in virtual time. A run of a month takes
// seconds; what needs more is a mistake in the unit.
const longest = 30 * 24 * time.Hour

func (d *document) length(n *yaml.Node) time.Duration {
	until, ok := d.duration(n, "until", 1)
	if ok && until > longest {
		d.errorf(d.pos(n), "until: a run takes at most %s, found %s", shortDuration(longest), resolve(n).Value)
	}
	return until
}

// metadata returns also where control stands.
func (d *document) metadata(n *yaml.Node, fileName string) (Metadata, Pos) {
	var md Metadata
	control := d.pos(n)
	d.mapping(n, "metadata", fields{
		"name": func(n *yaml.Node) {
			w := d.text(n, "name")
			if w.text != "" && w.text != fileName {
				d.errorf(w.pos, "the scenario's name is its file's name: expected %q, found %q", fileName, w.text)
			}
			md.Name = w.text
		},
		"labels": func(n *yaml.Node) { md.Labels = texts(d.words(n, "label")) },
		"control": func(n *yaml.Node) {
			md.Control, control = d.boolean(n, "control"), d.pos(n)
		},
	}).require("name")
	return md, control
}

func (d *document) controlIsRight(s *Scenario, at Pos) {
	switch reds := len(s.Verdicts.Red); {
	case s.Verdicts.Pos == Pos{} || at == Pos{} || d.redIsBroken:
		// One of the two is missing or unreadable, which is reported already.
	case s.Metadata.Control && reds > 0:
		d.errorf(at, "a control is red for no variant, but the verdicts expect %s red", s.Verdicts.Red[0].Variant)
	case !s.Metadata.Control && reds == 0:
		d.errorf(at, "no variant is expected red: say which one is, or declare the scenario a control (control: true)")
	}
}
