package scenario_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

var update = flag.Bool("update", false, "write the golden files")

func full(t *testing.T) *scenario.Scenario {
	t.Helper()
	sources, err := scenario.OpenPaths([]string{"testdata/full"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := scenario.LoadAll(sources, catalog(), env(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("got %d scenarios, want 1", len(all))
	}
	return all[0]
}

// TestGolden pins down what becomes of every field of the language.
func TestGolden(t *testing.T) {
	const file = "testdata/full.golden.json"
	got, err := json.MarshalIndent(full(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLoadingTwiceGivesTheSame(t *testing.T) {
	first := full(t)
	for range 10 {
		if diff := cmp.Diff(first, full(t)); diff != "" {
			t.Fatalf("(-first +later):\n%s", diff)
		}
	}
}

// TestAliasesAreCopied: objects are modified by their owner, one after the other.
func TestAliasesAreCopied(t *testing.T) {
	s := full(t)
	applied := s.Timeline[3].Apply.Content["spec"].(map[string]any)
	applied["nodeName"] = "other"
	given := s.Given.Objects[2].Content["spec"].(map[string]any)
	if given["nodeName"] != "node-a" {
		t.Error("the object that the alias stands for changed with its copy")
	}
}
