package scenario_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func fixture(fields string) string {
	return "apiVersion: vmreplay/v1alpha1\nkind: Fixture\n" + fields + "\n"
}

func TestFixtures(t *testing.T) {
	node := func(name string) string {
		return "objects: [{apiVersion: v1, kind: Node, metadata: {name: " + name + "}}]"
	}
	fixtures := files(map[string]string{
		"left.yaml":     fixture("include: [bottom]\n" + node("left")),
		"right.yaml":    fixture(node("right") + "\ninclude: [bottom]"),
		"top.yaml":      fixture("include: [left, right]\n" + node("top")),
		"bottom.yaml":   fixture(node("bottom")),
		"a.yaml":        fixture("include: [b]"),
		"b.yaml":        fixture("include: [c]"),
		"c.yaml":        fixture("include: [left, b]"),
		"itself.yaml":   fixture("include: [itself]"),
		"astray.yaml":   fixture("include: [../b, buttom]"),
		"bad.yaml":      fixture("objekts: []"),
		"badobj.yaml":   fixture("objects: [{apiVersion: v1, kind: Nod, metadata: {name: x}}]"),
		"scenario.yaml": with(base, ""),
		"deep/x.yaml":   fixture(node("deep")),
	})
	for _, c := range []struct {
		name  string
		given string
		nodes []string
		want  string
	}{
		{name: "diamond", given: "[top]", nodes: []string{"bottom", "left", "right", "top"}},
		{name: "both sides", given: "[right, left]", nodes: []string{"bottom", "right", "left"}},
		{name: "the same by two names of the list", given: "[left, bottom]", nodes: []string{"bottom", "left"}},
		{name: "folder", given: "[deep/x]", nodes: []string{"deep"}},
		{name: "cycle", given: "[a]", want: "fixtures/c.yaml:3:17: the fixtures include each other: b -> c -> b"},
		{name: "cycle of one", given: "[itself]", want: "fixtures/itself.yaml:3:11: the fixtures include each other: itself -> itself"},
		{name: "bad includes", given: "[astray]", want: `fixtures/astray.yaml:3:11: fixture "../b": expected a name below the folder fixtures of the scenario's tree, like vmim/two-nodes
fixtures/astray.yaml:3:17: unknown fixture "buttom" (did you mean "bottom"?)`},
		{name: "bad field", given: "[bad]", want: `fixtures/bad.yaml:3:1: unknown field of the fixture "objekts" (did you mean "objects"?)`},
		{name: "bad object", given: "[badobj]", want: `fixtures/badobj.yaml:3:34: unknown kind "Nod" (did you mean "Pod"?)`},
		{name: "no fixture", given: "[scenario]", want: `fixtures/scenario.yaml:3:7: expected kind: Fixture, found the text "Scenario"`},
		{name: "ending", given: "[bottom.yaml]", want: `story.yaml:1:20: fixture "bottom.yaml": a fixture is named without the ending of its file: expected "bottom"`},
		{name: "no clean path", given: "[./bottom]", want: `story.yaml:1:20: unknown fixture "./bottom" (did you mean "bottom"?)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := load(t, with(base, "given: {fixtures: "+c.given+"}"), fixtures)
			if c.want != "" {
				if err == nil || err.Error() != c.want {
					t.Errorf("got error\n%v\nwant\n%s", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var nodes []string
			for _, o := range s.Given.Objects {
				nodes = append(nodes, o.Content["metadata"].(map[string]any)["name"].(string))
			}
			if diff := cmp.Diff(c.nodes, nodes); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoFixturesAtAll(t *testing.T) {
	_, err := load(t, with(base, "given: {fixtures: [a]}"), nil)
	want := `story.yaml:1:20: unknown fixture "a": there is none here`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
