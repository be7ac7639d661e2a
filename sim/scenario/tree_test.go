package scenario_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// story is the smallest scenario of a name.
func story(name string) string { return with(base, "metadata: {name: "+name+"}") }

func TestLoadTree(t *testing.T) {
	tree := files(map[string]string{
		"b/two.yaml":          story("two"),
		"b.yaml":              story("b"),
		"a/deep/one.yaml":     story("one"),
		"a/README.md":         "no scenario",
		"fixtures/x.yaml":     fixture("objects: []"),
		"a/fixtures/y.yaml":   fixture("objects: []"),
		".github/ci.yaml":     "on: push",
		"_old/three.yaml":     "old",
		"yml/wrong.yml":       story("wrong"),
		"mixed/good.yaml":     story("good"),
		"mixed/bad.yaml":      "until: 5",
		"mixed/worse.yaml":    with(base, "metadata: {name: worse}\nuntil: 5"),
		"none/README.md":      "no scenario",
		"shared/one.yaml":     with(base, "metadata: {name: one}\ngiven: {fixtures: [broken]}"),
		"shared/two.yaml":     with(base, "metadata: {name: two}\ngiven: {fixtures: [broken]}"),
		"shared/fixtures/a.b": "",
	})
	for _, c := range []struct {
		name  string
		root  string
		names []string
		want  string
	}{
		{name: "one file", root: "a/deep/one.yaml", names: []string{"one"}},
		{name: "folder", root: "a", names: []string{"one"}},
		{name: "no scenario", root: "none", want: "none:1:1: there is no scenario in this folder: expected a file that ends in .yaml"},
		{name: "only fixtures below", root: "a/fixtures", want: "a/fixtures/y.yaml:2:7: expected kind: Scenario, found the text \"Fixture\""},
		{name: "missing", root: "c", want: "c:1:1: there is no such file"},
		{name: "other ending", root: "yml", want: "yml/wrong.yml:1:1: scenarios are files that end in .yaml: rename it"},
		{name: "good and bad", root: "mixed", names: []string{"good"}, want: `mixed/bad.yaml:1:1: expected a Scenario, found a file without the field "apiVersion": write apiVersion: vmreplay/v1alpha1
mixed/bad.yaml:1:1: expected a Scenario, found a file without the field "kind": write kind: Scenario
mixed/worse.yaml:2:8: until: expected a duration like 61s, found the number 5 without a unit`},
		{name: "a bad fixture is reported once", root: "shared", want: `fixtures/broken.yaml:3:10: objects: expected a list, found the number 5`},
	} {
		t.Run(c.name, func(t *testing.T) {
			fixtures := files(map[string]string{"broken.yaml": fixture("objects: 5")})
			all, err := scenario.LoadTree(tree, c.root, fixtures, catalog(), env(t))
			compareTree(t, all, err, c.names, c.want)
		})
	}
}

func TestLoadTreeIsSortedByPath(t *testing.T) {
	tree := files(map[string]string{"b/two.yaml": story("two"), "b.yaml": story("b"), "a/deep/one.yaml": story("one"), "c.yaml": story("c")})
	all, err := scenario.LoadTree(tree, ".", fstest.MapFS{}, catalog(), env(t))
	compareTree(t, all, err, []string{"one", "b", "two", "c"}, "")
}

func compareTree(t *testing.T, all []*scenario.Scenario, err error, names []string, want string) {
	t.Helper()
	var got []string
	for _, s := range all {
		got = append(got, s.Metadata.Name)
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("scenarios (-want +got):\n%s", diff)
	}
	message := ""
	if err != nil {
		message = err.Error()
	}
	if diff := cmp.Diff(strings.TrimSpace(want), message); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}
