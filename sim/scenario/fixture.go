package scenario

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fixture loads a fixture, and before it those that it includes. One that was
// loaded before gives nothing more. Chain are the fixtures that led here.
func (l *loader) fixture(name word, chain []string) []Object {
	if i := slices.Index(chain, name.text); i >= 0 {
		cycle := append(slices.Clone(chain[i:]), name.text)
		l.errorf(name.pos, "the fixtures include each other: %s", strings.Join(cycle, " -> "))
		return nil
	}
	if l.loaded[name.text] {
		return nil
	}
	if l.loaded == nil {
		l.loaded = map[string]bool{}
	}
	problems := l.problems
	objects := l.readFixture(name, append(slices.Clone(chain), name.text))
	l.loaded[name.text] = true
	if l.problems > problems {
		l.nodes.broken = true
	}
	return objects
}

func (l *loader) readFixture(name word, chain []string) []Object {
	if !l.fixtureExists(name) {
		return nil
	}
	d := l.read(fixtureFiles{l.fixtures}, name.text+".yaml")
	if d == nil || !d.header(KindFixture) {
		return nil
	}
	var includes []word
	var own []Object
	d.mapping(d.root, "the fixture", fields{
		"apiVersion":  func(*yaml.Node) {},
		"kind":        func(*yaml.Node) {},
		"description": func(n *yaml.Node) { d.text(n, "description") },
		"include":     func(n *yaml.Node) { includes = d.words(n, "fixture") },
		"objects":     func(n *yaml.Node) { own = d.objectList(n) },
	})
	var all []Object
	for _, include := range includes {
		all = append(all, l.fixture(include, chain)...)
	}
	return append(all, own...)
}

// fixtureExists checks a fixture's name before anything is opened.
func (l *loader) fixtureExists(name word) bool {
	if path.IsAbs(name.text) || slices.Contains(strings.Split(name.text, "/"), "..") {
		l.errorf(name.pos, "fixture %q: expected a name below the folder fixtures of the scenario's tree, like vmim/two-nodes", name.text)
		return false
	}
	if l.fixtures == nil {
		l.unknown(name.pos, "fixture", name.text, nil)
		return false
	}
	file := name.text + ".yaml"
	_, err := fs.Stat(l.fixtures, file)
	switch {
	case err == nil:
		return true
	case errors.Is(err, errOutside):
		l.errorf(name.pos, "fixture %q: a link leads to a file outside the scenario's tree", name.text)
	case errors.Is(err, fs.ErrNotExist) || !fs.ValidPath(file):
		l.unknownFixture(name)
	default:
		l.errorf(name.pos, "fixture %q: %v", name.text, cause(err))
	}
	return false
}

func (l *loader) unknownFixture(name word) {
	var all []string
	if !l.tired() {
		all = fixtureNames(l.fixtures)
	}
	if file, ok := strings.CutSuffix(name.text, ".yaml"); ok && slices.Contains(all, file) {
		l.errorf(name.pos, "fixture %q: a fixture is named without the ending of its file: expected %q", name.text, file)
		return
	}
	if slices.Contains(all, name.text) {
		l.errorf(name.pos, "fixture %q: its file is a link to nothing", name.text)
		return
	}
	l.unknown(name.pos, "fixture", name.text, all)
}

// fixtureNames are all names that could be given.
func fixtureNames(fsys fs.FS) []string {
	if layers, ok := fsys.(layers); ok {
		var all []string
		for _, layer := range layers {
			all = append(all, fixtureNames(layer)...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	var all []string
	_ = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(name, ".yaml") {
			all = append(all, strings.TrimSuffix(name, ".yaml"))
		}
		return nil // what cannot be listed cannot be suggested
	})
	return all
}

// fixtureFiles are fixtures whose names errors show below the folder fixtures,
// since a scenario may have the same path below its own.
type fixtureFiles struct{ fs.FS }

func (f fixtureFiles) Display(name string) string {
	if named, ok := f.FS.(interface{ Display(string) string }); ok {
		return named.Display(name)
	}
	return path.Join("fixtures", name)
}

func (f fixtureFiles) Stat(name string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) }
