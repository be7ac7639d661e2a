package scenario_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// disk writes files below a new folder, makes it the current one and returns it.
func disk(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func loadPaths(t *testing.T, paths ...string) ([]*scenario.Scenario, error) {
	t.Helper()
	sources, err := scenario.OpenPaths(paths)
	if err != nil {
		return nil, err
	}
	return scenario.LoadAll(sources, catalog(), env(t))
}

// using is a scenario that names a fixture in its first line.
func using(name, fixture string) string {
	return with(base, "given: {fixtures: ["+fixture+"]}\nmetadata: {name: "+name+"}")
}

func TestOpenPaths(t *testing.T) {
	dir := disk(t, map[string]string{
		"team/fixtures/own.yaml":      fixture("objects: []"),
		"team/deep/one.yaml":          using("one", "own"),
		"team/two.yaml":               using("two", "own"),
		"team/inner/fixtures/in.yaml": fixture("objects: []"),
		"team/inner/three.yaml":       using("three", "in"),
		"bad/fixtures/own.yaml":       fixture("objects: 5"),
		"bad/bad.yaml":                using("bad", "own"),
		"alone/alone.yaml":            story("alone"),
	})
	for _, c := range []struct {
		name  string
		paths []string
		names []string
		want  string
	}{
		{name: "folder of two trees", paths: []string{"team"}, names: []string{"one", "three", "two"}},
		{name: "order of the paths", paths: []string{"team/two.yaml", "team/deep"}, names: []string{"two", "one"}},
		{name: "each file once", paths: []string{"team/two.yaml", "./team/", dir + "/team/two.yaml"}, names: []string{"two", "one", "three"}},
		{name: "absolute", paths: []string{dir + "/team/deep/one.yaml"}, names: []string{"one"}},
		{name: "no fixtures on disk", paths: []string{"alone"}, names: []string{"alone"}},
		{name: "missing", paths: []string{"team/tow.yaml"}, want: "team/tow.yaml:1:1: there is no such file"},
		{name: "positions as they were typed", paths: []string{"./bad"}, want: "bad/fixtures/own.yaml:3:10: objects: expected a list, found the number 5"},
		{name: "absolute positions", paths: []string{dir + "/bad/bad.yaml"}, want: dir + "/bad/fixtures/own.yaml:3:10: objects: expected a list, found the number 5"},
		{name: "empty folder", paths: []string{"team/fixtures", "team/inner/fixtures/.."}, names: []string{"three"}, want: "team/fixtures/own.yaml:2:7: expected kind: Scenario, found the text \"Fixture\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := loadPaths(t, c.paths...)
			compareTree(t, all, err, c.names, c.want)
		})
	}
}

// Reports print paths of the pack as they are in the project; they must do
// without a checkout, too.
func TestOpenPathsOfTheEmbeddedPack(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		name, path string
		want       int // 0: no such file
	}{
		{"one scenario", "scenarios/vmim/same-node.yaml", 1},
		{"written with a dot", "./scenarios/vmim/same-node.yaml", 1},
		{"unknown", "scenarios/vmim/same-nod.yaml", 0},
		{"outside of the pack", "scenarios/../vmim/same-node.yaml", 0},
		{"another folder", "vmim/same-node.yaml", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			sources, err := scenario.OpenPaths([]string{c.path})
			if err != nil {
				t.Fatal(err)
			}
			_, err = fs.Stat(sources[0].FS, sources[0].Name)
			if found := err == nil; len(sources) != 1 || found != (c.want > 0) {
				t.Errorf("got %d sources, the first found: %v; want %d", len(sources), found, c.want)
			}
		})
	}
}

func TestOpenPathsFromWithinTheTree(t *testing.T) {
	dir := disk(t, map[string]string{
		"fixtures/own.yaml": fixture("objects: 5"),
		"deep/one.yaml":     using("one", "own"),
	})
	t.Chdir(filepath.Join(dir, "deep"))
	_, err := loadPaths(t, "one.yaml")
	want := "../fixtures/own.yaml:3:10: objects: expected a list, found the number 5"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestEmptyFolder(t *testing.T) {
	dir := disk(t, nil)
	_, err := scenario.OpenPaths([]string{dir})
	want := dir + ":1:1: there is no scenario in this folder: expected a file that ends in .yaml"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestFixturesStayInTheTree: a scenario from elsewhere must not get at the files
// of whoever runs it.
func TestFixturesStayInTheTree(t *testing.T) {
	disk(t, map[string]string{
		"outside/secret.yaml":       fixture("objects: []"),
		"tree/fixtures/own.yaml":    fixture("include: [escape]"),
		"tree/shared/inside.yaml":   fixture("objects: []"),
		"tree/escape.yaml":          using("escape", "escape"),
		"tree/through-folder.yaml":  using("through-folder", "folder/secret"),
		"tree/through-include.yaml": using("through-include", "own"),
		"tree/link-within.yaml":     using("link-within", "within"),
		"tree/dangling.yaml":        using("dangling", "dangling"),
		"tree/absolute.yaml":        using("absolute", "absolute"),
	})
	link(t, "../../outside/secret.yaml", "tree/fixtures/escape.yaml")
	link(t, "../../outside", "tree/fixtures/folder")
	link(t, "../shared/inside.yaml", "tree/fixtures/within.yaml")
	link(t, "nowhere.yaml", "tree/fixtures/dangling.yaml")
	link(t, "/etc/hostname", "tree/fixtures/absolute.yaml")
	for _, c := range []struct {
		name string // of the scenario
		want string
	}{
		{"escape", `tree/escape.yaml:1:20: fixture "escape": a link leads to a file outside the scenario's tree`},
		{"through-folder", `tree/through-folder.yaml:1:20: fixture "folder/secret": a link leads to a file outside the scenario's tree`},
		{"through-include", `tree/fixtures/own.yaml:3:11: fixture "escape": a link leads to a file outside the scenario's tree`},
		{"absolute", `tree/absolute.yaml:1:20: fixture "absolute": a link leads to a file outside the scenario's tree`},
		{"dangling", `tree/dangling.yaml:1:20: fixture "dangling": its file is a link to nothing`},
		{"link-within", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			names := []string{c.name}
			if c.want != "" {
				names = nil
			}
			all, err := loadPaths(t, "tree/"+c.name+".yaml")
			compareTree(t, all, err, names, c.want)
		})
	}
}

// TestOwnFixturesComeFirst: a tree's fixture hides that of the embedded pack;
// what the tree lacks is taken from there.
func TestOwnFixturesComeFirst(t *testing.T) {
	disk(t, map[string]string{
		"own/fixtures/vmim/two-nodes.yaml": fixture("objects: [{apiVersion: v1, kind: Node, metadata: {name: mine}}]"),
		"own/own.yaml":                     using("own", "vmim/two-nodes"),
		"other/fixtures/other.yaml":        fixture("objects: []"),
		"other/other.yaml":                 using("other", "vmim/two-nodes"),
		"none/none.yaml":                   using("none", "vmim/two-nodes"),
		"typo/typo.yaml":                   using("typo", "vmim/two-node"),
	})
	for _, c := range []struct {
		name string
		file string
		pos  string
	}{
		{"hidden", "own/own.yaml", "own/fixtures/vmim/two-nodes.yaml"},
		{"filled in", "other/other.yaml", "fixtures/vmim/two-nodes.yaml"},
		{"no folder", "none/none.yaml", "fixtures/vmim/two-nodes.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := loadPaths(t, c.file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.pos, all[0].Given.Objects[0].Pos.File); diff != "" {
				t.Errorf("file of the first object (-want +got):\n%s", diff)
			}
		})
	}
	_, err := loadPaths(t, "typo/typo.yaml")
	want := `typo/typo.yaml:1:20: unknown fixture "vmim/two-node" (did you mean "vmim/two-nodes"?)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestEmbeddedPack: without paths, the stories that are built in.
func TestEmbeddedPack(t *testing.T) {
	sources, err := scenario.OpenPaths(nil)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, s := range sources {
		got = append(got, s.Name)
	}
	files, err := filepath.Glob("../../scenarios/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		want = append(want, filepath.ToSlash(file[len("../../scenarios/"):]))
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("stories (-want +got):\n%s", diff)
	}
}
