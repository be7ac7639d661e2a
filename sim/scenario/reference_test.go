package scenario_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vmreplay/vmreplay/sim/scenario"
)

// TestReference loads every example of the language's reference.
func TestReference(t *testing.T) {
	examples := yamlBlocks(t, "../../scenarios/README.md")
	if len(examples) < 8 {
		t.Fatalf("found %d examples: they have moved", len(examples))
	}
	whole := split(examples[0])
	for i, example := range examples {
		first, _, _ := strings.Cut(example, "\n")
		t.Run(fmt.Sprintf("%d %s", i, first), func(t *testing.T) {
			if strings.Contains(example, "kind: Fixture") {
				loadFixture(t, example)
				return
			}
			loadReference(t, with(whole, example))
		})
	}
}

func loadReference(t *testing.T, text string) {
	t.Helper()
	fsys := files(map[string]string{"target-pod-late.yaml": text})
	_, err := scenario.Load(fsys, "target-pod-late.yaml", fixtureFiles(), catalog(), env(t))
	if err != nil {
		t.Errorf("%v\n--- of\n%s", err, text)
	}
}

func loadFixture(t *testing.T, text string) {
	t.Helper()
	fixtures := fixtureFiles()
	fixtures["example.yaml"] = files(map[string]string{"": text})[""]
	s, err := load(t, with(base, "given: {fixtures: [example]}"), fixtures)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(s.Given.Objects); got != 3 {
		t.Errorf("got %d objects, want two of the included fixture and one of its own", got)
	}
}

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
