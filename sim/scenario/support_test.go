package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/vmreplay/vmreplay/sim/expr"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// catalog is a small world: what scenarios of these tests can name.
func catalog() scenario.Catalog {
	latency := func(value string) error {
		if _, err := time.ParseDuration(value); err != nil {
			return fmt.Errorf("expected a duration like 5ms, found %q", value)
		}
		return nil
	}
	return scenario.Catalog{
		Controllers: map[string][]string{
			"vmim": {"none", "scheduling-retry", "target-pod-retry", "both", "wake"},
			"kvvm": {"none", "level"},
		},
		Kinds: map[string]scenario.Kind{
			"Node":                            {APIVersion: "v1", Func: "node"},
			"Lease":                           {APIVersion: "coordination.k8s.io/v1", Namespaced: true, Func: "lease"},
			"Pod":                             {APIVersion: "v1", Namespaced: true, Func: "pod"},
			"LogicalSwitchPort":               {APIVersion: "ovn/v1", Func: "port"},
			"VirtualMachineInstance":          {APIVersion: "kubevirt.io/v1", Namespaced: true, Func: "vmi"},
			"VirtualMachineInstanceMigration": {APIVersion: "kubevirt.io/v1", Namespaced: true, Func: "vmim"},
		},
		StandIns:  []string{"scheduler", "kubelet", "ovn", "virt-controller", "virt-handler"},
		Processes: map[string]string{"scheduler": "kube-scheduler", "ovn": "ovn-controller"},
		Killable:  []string{"kube-scheduler", "virt-controller", "virt-handler"},
		Settings:  map[string]func(string) error{"scheduler.latency": latency, "note": nil, scenario.FrontEnds: nil},
	}
}

func env(t testing.TB) *expr.Env {
	t.Helper()
	var kinds []expr.Kind
	for name, k := range catalog().Kinds {
		kinds = append(kinds, expr.Kind{Name: name, Func: k.Func, Namespaced: k.Namespaced})
	}
	e, err := expr.NewEnv(kinds)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// fixtureFiles are fixtures that every scenario of these tests can name.
func fixtureFiles() fstest.MapFS {
	const twoNodes = `apiVersion: vmreplay/v1alpha1
kind: Fixture
objects:
- {apiVersion: v1, kind: Node, metadata: {name: node-a}}
- {apiVersion: v1, kind: Node, metadata: {name: node-b}}
`
	return files(map[string]string{"vmim/two-nodes.yaml": twoNodes})
}

func files(texts map[string]string) fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range texts {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// base is the smallest scenario, by its fields.
var base = []part{
	{"apiVersion", "apiVersion: vmreplay/v1alpha1\n"},
	{"kind", "kind: Scenario\n"},
	{"metadata", "metadata: {name: story}\n"},
	{"controllers", "controllers: [{name: ctl, type: vmim}]\n"},
	{"until", "until: 60s\n"},
	{"expect", "expect: [{name: fine, never: 'false'}]\n"},
	{"verdicts", "verdicts: {green: [scheduling-retry, target-pod-retry, both, wake], red: {none: [fine]}}\n"},
}

// A part is a field of a file, with its text.
type part struct{ field, text string }

// split cuts a text into the top-level fields that stand in it.
func split(text string) []part {
	var parts []part
	for line := range strings.Lines(text) {
		field, _, isField := strings.Cut(line, ":")
		if isField && field != "" && !strings.ContainsAny(field[:1], " -#\n") {
			parts = append(parts, part{field: field})
		}
		if len(parts) > 0 {
			parts[len(parts)-1].text += line
		}
	}
	return parts
}

// with is the text of a file in which some fields are replaced by others. The
// replacements come first, so that lines in errors are those of the replacement.
func with(fields []part, replacement string) string {
	replaced := split(replacement)
	text := replacement
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	for _, p := range fields {
		if !slices.ContainsFunc(replaced, func(r part) bool { return r.field == p.field }) {
			text += p.text
		}
	}
	return text
}

// load reads the text of story.yaml.
func load(t testing.TB, text string, fixtures fstest.MapFS) (*scenario.Scenario, error) {
	t.Helper()
	return scenario.Load(files(map[string]string{"story.yaml": text}), "story.yaml", fixtures, catalog(), env(t))
}
