package explore

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vmreplay/vmreplay/fixtures"
	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/scenario"
	"github.com/vmreplay/vmreplay/sim/wholefile"
)

func lineOf(p scenario.Pos) string { return strconv.Itoa(p.Line) }

// Write writes the scenario of a finding into a folder, reads it back and plays
// it: the file fails exactly as the search's run did. source is the file of the
// story that was searched from. It fills in the finding's File.
func (s *Search) Write(f *Finding, source scenario.Source, dir string) error {
	text, err := fs.ReadFile(source.FS, source.Name)
	if err != nil {
		return err
	}
	if err := wholefile.Folder(dir); err != nil {
		return err
	}
	f.File = filepath.Join(dir, f.name(s.report)+".yaml")
	out, err := s.render(f, text, source.Fixtures)
	if err != nil {
		return fmt.Errorf("%s: %w", f.File, err)
	}
	if err := wholefile.Replace(f.File, out); err != nil {
		f.File = "" // a report must not name what is not there
		return err
	}
	return s.verify(f)
}

// name is the name of the finding's scenario: the same wherever it is found.
// notForFiles is what a check's name may have, and a file's should not.
var notForFiles = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func (f *Finding) name(r *Report) string {
	return fmt.Sprintf("%s-%s-%s-%s", r.Scenario, r.Variant, notForFiles.ReplaceAllString(f.Cause.Check, "-"), f.ID)
}

// render is the text of the finding's scenario.
func (s *Search) render(f *Finding, text []byte, fixed fs.FS) ([]byte, error) {
	verdicts, err := s.verdicts(f)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	root := content(doc.Content[0])
	doc.HeadComment, root.HeadComment = "", ""
	remove(field(root, "timeline"), f.reduced.events)
	remove(field(root, "informerClock"), f.reduced.clocks)
	remove(field(root, "expect"), append(s.player.unsearched(), f.reduced.checks...))
	for _, name := range []string{"timeline", "informerClock", "expect"} {
		if list := field(root, name); list != nil && len(list.Content) == 0 {
			drop(root, name)
		}
	}
	metadata := field(root, "metadata")
	set(metadata, "name", f.name(s.report), "")
	drop(metadata, "control")
	if !builtIn(s.player.Story.Given.Fixtures, fixed) {
		s.inline(field(root, "given"))
	}
	set(root, "schedule", append(ownSchedule(s.player.Story), f.Schedule...), "until")
	if len(f.Schedule) == 0 {
		drop(root, "schedule")
	}
	set(root, "seed", s.report.Seed, "until")
	set(root, "grace", s.report.Bound, "until")
	set(root, "until", f.Until, "")
	set(root, "verdicts", verdicts, "")

	var out bytes.Buffer
	out.WriteString(f.head(s.report))
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(&doc); err != nil {
		return nil, err
	}
	fmt.Fprintf(&out, "\n# vmreplay run %s --variant %s --verbose%s\n", f.File, s.report.Variant, s.report.Flags)
	return out.Bytes(), e.Close()
}

// head is the comment that tells the story of a finding.
func (f *Finding) head(r *Report) string {
	var b strings.Builder
	say := func(format string, args ...any) {
		for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
			b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
		}
	}
	say("An order of events that breaks variant %s in %s. Found by", r.Variant, r.Scenario)
	say("  vmreplay explore %s --variant %s --seed %d --budget %d --depth %d%s", r.Path, r.Variant, r.Seed, r.Budget, r.Depth, r.Flags)
	say("")
	if len(f.Story) == 0 {
		say("It is the order that the story has written down.")
	}
	for i, line := range f.Story {
		say("%d. %s.", i+1, line)
	}
	if f.Cause.Key != "" {
		say("")
		say("Then %s of queue %s of %s %s:\n  %s", f.Cause.Key, f.Cause.Queue, f.Cause.Process, becameOf[f.Cause.State], f.Cause.Why)
	}
	say("")
	say("%s: %s", f.Cause.Check, f.Message)
	say("")
	say("The verdicts are those of all variants on this very order, so that `vmreplay run` passes while %s fails", r.Variant)
	say("like this. It tells when that changes: move a variant to green once it is mended.")
	return b.String()
}

// becameOf says what became of a key in the middle of a sentence.
var becameOf = map[check.State]string{
	check.KeyDropped: "is dropped", check.KeyWaits: "waits", check.KeyQueued: "is queued",
	check.KeyInWork: "is in work", check.KeyLost: "is lost with its process",
}

// verdictsOf is the verdicts of a scenario as a file has them.
type verdictsOf struct {
	Green []string            `yaml:"green,flow,omitempty"`
	Red   map[string][]string `yaml:"red,omitempty"`
}

// unsearched are the indexes of the checks that are about the written order.
func (p *Player) unsearched() []int {
	var out []int
	for i := range p.Story.Expect {
		if !p.Story.Expect[i].Searchable() {
			out = append(out, i)
		}
	}
	return out
}

// verdicts plays the finding's schedule under every variant. Not every one comes to
// the decisions that it changes, and that is no fault of it.
func (s *Search) verdicts(f *Finding) (*verdictsOf, error) {
	v := &verdictsOf{Red: map[string][]string{}}
	for _, variant := range s.player.variants() {
		runner, err := s.player.runnerOf(variant)
		if err != nil {
			return nil, err
		}
		r := sim.Judge(s.player.t, f.reduced.story, variant, sim.Options{
			Seed: s.player.Seed, Schedule: f.schedule, Bound: s.player.Bound, Subjects: s.player.Subjects, Runner: runner,
		})
		failed := slices.DeleteFunc(r.Failed(), isAboutTheStory)
		switch {
		case r.Status != sim.Judged:
			return nil, fmt.Errorf("under %s the run is %s: %s", variant, r.Status, r.Detail)
		case len(failed) > 0:
			v.Red[variant] = failed
		default:
			v.Green = append(v.Green, variant)
		}
	}
	return v, nil
}

func (p *Player) variants() []string {
	if p.Tree != nil {
		return p.Tree.Sets
	}
	for _, s := range p.Subjects {
		if s.Type == p.Story.Type() {
			return s.Variants
		}
	}
	return p.Story.Variants()
}

// builtIn says whether the fixtures, and those that they include, are the ones that
// come with the module, so that the scenario finds them wherever it lies.
func builtIn(names []string, in fs.FS) bool {
	seen := map[string]bool{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		a, err := fs.ReadFile(in, name+".yaml")
		b, other := fs.ReadFile(fixtures.FS, name+".yaml")
		if err != nil || other != nil || !bytes.Equal(a, b) {
			return false
		}
		var fixture struct{ Include []string }
		if err := yaml.Unmarshal(a, &fixture); err != nil {
			return false
		}
		names = append(slices.Clone(names), fixture.Include...)
	}
	return true
}

// inline writes the objects of the fixtures into the scenario.
func (s *Search) inline(given *yaml.Node) {
	var objects []map[string]any
	for _, o := range s.player.Story.Given.Objects {
		objects = append(objects, o.Content)
	}
	drop(given, "fixtures")
	set(given, "objects", objects, "")
}

func ownSchedule(story *sim.Story) []Entry {
	var all []Entry
	for _, p := range story.Schedule {
		all = append(all, entryOf(p.Perturbation))
	}
	return all
}

// verify reads the written scenario and plays it.
func (s *Search) verify(f *Finding) error {
	sources, err := scenario.OpenPaths([]string{f.File})
	if err != nil {
		return err
	}
	loaded, err := scenario.LoadAll(sources, sim.Catalog(), sim.Conditions())
	if err != nil {
		return fmt.Errorf("the scenario that was written is not right: %w", err)
	}
	story, err := sim.Compile(loaded[0])
	if err != nil {
		return err
	}
	r := sim.Run(s.player.t, story, s.report.Variant, sim.Options{Subjects: s.player.Subjects, Runner: s.player.runner})
	if r.Status != sim.Judged || r.Trace.Hash != f.hash || r.Surprise() != "" {
		return fmt.Errorf("%s: the scenario that was written does not fail as the search's run did: hash %016x, expected %016x; %s",
			f.File, r.Trace.Hash, f.hash, r.Surprise())
	}
	return nil
}
