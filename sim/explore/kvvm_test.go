package explore

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The races of the machine controller that are known by name (kubevirt-behaviour
// B.8), found from the plain story alone: the rule that no node matches is corrected
// when everybody knows that the machine cannot be scheduled.
func TestFindingsOfMachines(t *testing.T) {
	const (
		path = "scenarios/kvvm/node-selector-edited-after.yaml"
		r1   = "which is Starting: none of them takes a restart"
		r2   = "which is ErrorUnschedulable: "
		r3   = "nothing to delete: the caches do not agree on a pod"
		r4   = "SyncKvvm: delete Pod" // refused, once
		r4b  = "never: power state: restart"
	)
	tests := []struct {
		name string // the variant
		whys []string
	}{
		{"placement", []string{r2, r3, r4, r4b}},
		{"placement-ee", []string{r1, r2, r3, r4, r4b}},
	}
	worker := commandWorker(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			story, _, err := read(path)
			if err != nil {
				t.Fatal(err)
			}
			p, err := NewPlayer(t, Setting{Story: story, Variant: test.name, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			pool, err := NewPool(2, Task{Path: path, Variant: test.name, Seed: 1}, worker)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			r, err := NewSearch(p, pool, Options{Budget: 1000}).Do(context.Background())
			if err != nil || len(r.NoVerdict) > 0 {
				t.Fatalf("error %v; runs without a verdict: %v", err, r.NoVerdict)
			}
			for _, why := range test.whys {
				if f := findingOf(r, why); f == nil {
					t.Errorf("no finding says %q", why)
				} else if len(f.Schedule) > 2 || f.Cause.Check != "starts" || f.Cause.Key != "default/vm" {
					t.Errorf("%q was found as %s", why, f.Title())
				} else {
					t.Logf("schedule %d: %s", f.First, f.Title())
				}
			}
		})
	}
}

// commandWorker makes workers of the command, which has no race detector in it: the
// runs of a whole search would take minutes with it.
func commandWorker(t *testing.T) func() (*exec.Cmd, error) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "vmreplay")
	if out, err := exec.Command("go", "build", "-o", binary, "../cmd/vmreplay").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func() (*exec.Cmd, error) { return exec.Command(binary, "explore-worker"), nil }
}

func findingOf(r *Report, why string) *Finding {
	for i := range r.Findings {
		if strings.Contains(r.Findings[i].Cause.Why, why) {
			return &r.Findings[i]
		}
	}
	return nil
}
