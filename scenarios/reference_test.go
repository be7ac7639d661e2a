package scenarios_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vmreplay/vmreplay/fixtures"
	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/scenario"
	"sigs.k8s.io/yaml"
)

// TestReference loads every example of the language's reference. The first one
// is a whole story; the others are fields of it, or fixtures.
func TestReference(t *testing.T) {
	examples := yamlBlocks(t, "README.md")
	if len(examples) < 10 {
		t.Fatalf("found %d examples: they have moved", len(examples))
	}
	for i, example := range examples {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			story := fields(t, examples[0])
			name := story["metadata"].(map[string]any)["name"].(string)
			pack := fstest.MapFS{"vmim/two-nodes.yaml": {Data: fixture(t, "vmim/two-nodes")}}
			if fields(t, example)["kind"] == "Fixture" {
				pack["example.yaml"] = &fstest.MapFile{Data: []byte(example)}
				story["given"] = map[string]any{"fixtures": []string{"example"}}
			} else {
				maps.Copy(story, fields(t, example))
			}
			text, err := yaml.Marshal(story)
			if err != nil {
				t.Fatal(err)
			}
			files := fstest.MapFS{name + ".yaml": {Data: text}}
			if _, err := scenario.Load(files, name+".yaml", pack, sim.Catalog(), sim.Conditions()); err != nil {
				t.Errorf("%v\n--- of\n%s", err, text)
			}
		})
	}
}

func fields(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := yaml.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	text, err := fs.ReadFile(fixtures.FS, name+".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// yamlBlocks are the fenced blocks of a Markdown file whose language is YAML.
func yamlBlocks(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for i, section := range strings.Split(string(text), "\n```") {
		if body, ok := strings.CutPrefix(section, "yaml\n"); ok && i%2 == 1 {
			blocks = append(blocks, body+"\n")
		}
	}
	return blocks
}
