package explore

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim"
)

var update = flag.Bool("update", false, "write the golden files")

// asJSON is a report as it is printed: nothing else of it is promised.
func asJSON(t *testing.T, r *Report) string {
	t.Helper()
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// small is a search that is over soon; its budget ends among the single
// perturbations of the code under test.
var small = Options{Budget: 45, Depth: 1}

// The report depends neither on when it is made nor on how many processes play.
func TestReportsRepeat(t *testing.T) {
	want := asJSON(t, searched(t, "live-migration", "none", small))
	if again := asJSON(t, searched(t, "live-migration", "none", small)); again != want {
		t.Errorf("a second search reports otherwise (-first +second):\n%s", cmp.Diff(want, again))
	}
	p := player(t, "live-migration", "none")
	pool, err := NewPool(3, Task{Path: "scenarios/vmim/live-migration.yaml", Variant: "none", Seed: 1}, workerProcess)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	r, err := NewSearch(p, pool, small).Do(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := asJSON(t, r); got != want {
		t.Errorf("three processes report otherwise (-one +three):\n%s", cmp.Diff(want, got))
	}
}

// Shards part the work exactly, and together they report what one search does.
func TestShardsAreTheWhole(t *testing.T) {
	for _, o := range []Options{small, {Budget: 40, Depth: 2}} {
		whole := searched(t, "live-migration", "none", o)
		var parts []*Report
		done := 0
		for i := range 3 {
			o.Shard, o.Shards = i+1, 3
			part := searched(t, "live-migration", "none", o)
			done += part.Schedules.Total()
			parts = append(parts, part)
		}
		if done != o.Budget {
			t.Errorf("depth %d: the shards played %d schedules of %d", o.Depth, done, o.Budget)
		}
		slices.Reverse(parts)
		merged, err := Merge(parts)
		if err != nil {
			t.Fatal(err)
		}
		whole.Shards, whole.Of = merged[0].Shards, merged[0].Of
		if diff := cmp.Diff(asJSON(t, whole), asJSON(t, merged[0])); diff != "" {
			t.Errorf("depth %d (-whole +merged):\n%s", o.Depth, diff)
		}
		if _, err := Merge(parts[1:]); err == nil || !strings.Contains(err.Error(), "expected the reports of 3 shards, found those of shards 1, 2") {
			t.Errorf("a shard is missing: %v", err)
		}
		if _, err := Merge(append(parts, parts[0])); err == nil || !strings.Contains(err.Error(), "shard 3 is there twice") {
			t.Errorf("a shard is there twice: %v", err)
		}
	}
}

// The two races of the released controller, and what each patch leaves of them.
func TestFindings(t *testing.T) {
	const k1, k2 = "no pod with label", "has no spec.nodeName"
	tests := []struct {
		story, variant string
		whys           []string // of findings, in any order
	}{
		{"live-migration", "none", []string{"dropped " + k1, "dropped " + k2}},
		{"live-migration", "scheduling-retry", []string{"dropped " + k1, "waits " + k2}},
		{"live-migration", "target-pod-retry", []string{"waits " + k1, "dropped " + k2}},
		{"live-migration", "both", []string{"waits " + k1, "waits " + k2}},
		{"live-migration", "wake", nil},
	}
	for _, test := range tests {
		t.Run(test.story+" "+test.variant, func(t *testing.T) {
			r := searched(t, test.story, test.variant, small)
			for _, why := range test.whys {
				state, text, _ := strings.Cut(why, " ")
				i := slices.IndexFunc(r.Findings, func(f Finding) bool {
					return string(f.Cause.State) == state && strings.Contains(f.Cause.Why, text)
				})
				if i < 0 {
					t.Errorf("no finding is %q", why)
				} else if f := r.Findings[i]; len(f.Schedule) > 2 || f.Cause.Check != "is-set-up" || f.Cause.Key != "default/migration" {
					t.Errorf("%q was found as %s", why, f.Title())
				}
			}
			if len(r.Findings) != len(test.whys) || len(r.NoVerdict) > 0 {
				for _, f := range r.Findings {
					t.Logf("found %s", f.Title())
				}
				t.Errorf("%d findings, want %d; %d runs without a verdict", len(r.Findings), len(test.whys), len(r.NoVerdict))
			}
		})
	}
}

// An older pod of the machine is deleted while its next migration needs the
// options (K6), and a phase leaves Scheduling before the retry (K3).
func TestFindingsBeyondTheRetries(t *testing.T) {
	tests := []struct{ name, story, check, why string }{
		{"K6", "two-migrations", "options-hold", "clean-migrate-options"},
		{"K3", "network-without-readiness-gate", "is-set-up", "only Scheduling, Succeeded and Failed change ports"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := searched(t, test.story, "both", Options{Budget: 10, Depth: 1, First: true})
			if len(r.Findings) != 1 || len(r.Findings[0].Schedule) > 2 {
				t.Fatalf("%d findings", len(r.Findings))
			}
			if c := r.Findings[0].Cause; c.Check != test.check || !strings.Contains(c.Why, test.why) {
				t.Errorf("found %s", c)
			}
		})
	}
}

// A finding becomes a file that fails the same way whenever it is played.
func TestWrittenScenario(t *testing.T) {
	golden, err := filepath.Abs("testdata/k1.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, source := open(t, "live-migration")
	t.Chdir(t.TempDir())
	p, err := NewPlayer(t, Setting{Story: s, Variant: "scheduling-retry", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	search := NewSearch(p, p, Options{Budget: 30, Depth: 1, First: true})
	r, err := search.Do(context.Background())
	if err != nil || len(r.Findings) != 1 {
		t.Fatalf("%d findings, error %v", len(r.Findings), err)
	}
	f := &r.Findings[0]
	if err := search.Write(f, source, "found"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(f.File)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("-want +got, -update writes it:\n%s", diff)
	}
	replayed, _, err := read(f.File)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if o := sim.Run(t, replayed, "scheduling-retry", sim.Options{Seed: uint64(i)}); o.Trace.Hash != f.hash || o.Surprise() != "" {
			t.Fatalf("replay %d: hash %016x, want %016x; %s", i, o.Trace.Hash, f.hash, o.Surprise())
		}
	}
}

// A variant that does not come to a decision of the schedule is judged by the
// story's own checks: the scenario's verdicts can name no other.
func TestVerdictsOfOthers(t *testing.T) {
	p := player(t, "live-migration", "both")
	f := &Finding{schedule: Schedule{{Point: "kube-ovn-controller: get VirtualMachineInstance default/vm #99", Delay: time.Second}}}
	f.reduced.story = p.Story
	v, err := NewSearch(p, p, small).verdicts(f)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&verdictsOf{Green: p.variants(), Red: map[string][]string{}}, v); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// An event that cannot happen is no verdict: a file could not name it.
func TestVerdictsWithoutTheTimeline(t *testing.T) {
	p := player(t, "../kvvm/stopped-meanwhile", "level")
	f := &Finding{schedule: Schedule{{Point: "user: apply DeckhouseVirtualMachine default/vm #1", Delay: time.Minute}}}
	f.reduced.story = p.Story
	v, err := NewSearch(p, p, small).verdicts(f)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"never-runs"}, v.Red["level"]); diff != "" {
		t.Errorf("the machine is stopped before it is created (-want +got):\n%s", diff)
	}
}

// A search that is told to stop reports what it did until then.
func TestInterrupted(t *testing.T) {
	p := player(t, "live-migration", "none")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := Options{Budget: 1000, Progress: func(g Progress) {
		if g.Done >= 32 {
			cancel()
		}
	}}
	r, err := NewSearch(p, p, o).Do(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || r.Schedules.Total() < 32 || r.Schedules.Total() > 100 || len(r.Findings) == 0 {
		t.Errorf("interrupted %v after %d schedules with %d findings", r.Interrupted, r.Schedules.Total(), len(r.Findings))
	}
}
