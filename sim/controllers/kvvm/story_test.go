package kvvm_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vmreplay/vmreplay/fixtures"
	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// stories are scripted ones: the simulator runs the controller, and no stand-in
// plays along.
func stories(tb testing.TB) []*sim.Story {
	tb.Helper()
	names, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(names) == 0 {
		tb.Fatalf("no stories in testdata: %v", err)
	}
	var all []*sim.Story
	for _, name := range names {
		loaded, err := scenario.Load(os.DirFS("."), name, fixtures.FS, sim.Catalog(), sim.Conditions())
		if err != nil {
			tb.Fatal(err)
		}
		story, err := sim.Compile(loaded)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, story)
	}
	return all
}

// TestStories: every story gives, under every variant, the verdict that it has
// written down, and takes the same steps a second time.
func TestStories(t *testing.T) {
	for _, story := range stories(t) {
		for _, variant := range story.Variants() {
			t.Run(story.Metadata.Name+"/"+variant, func(t *testing.T) {
				first := sim.Run(t, story, variant, sim.Options{Seed: 1})
				if surprise := first.Surprise(); surprise != "" {
					t.Error(surprise)
					for _, c := range first.Checks {
						t.Logf("%s ok=%v %s", c.Name, c.OK, c.Message)
					}
				}
				if r := sim.Confirm(first, sim.Run(t, story, variant, sim.Options{Seed: 1})); r.Status != sim.Judged {
					t.Errorf("%s: %s", r.Status, r.Detail)
				}
			})
		}
	}
}

// BenchmarkOneMinute is a minute of a VM whose pod is replaced, in a fresh
// simulator and with a fresh manager each time.
func BenchmarkOneMinute(b *testing.B) {
	story := stories(b)[1]
	b.ReportAllocs()
	steps := 0
	body := func(t *testing.T) {
		for b.Loop() {
			steps += len(sim.Run(t, story, "level", sim.Options{Seed: 1}).Trace.Steps)
		}
	}
	if !testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "bubble", F: body}}) {
		b.Fatal("the runs failed")
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(float64(steps)/float64(b.N), "steps/run")
}
