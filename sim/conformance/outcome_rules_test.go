package conformance

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim"
)

// named finds a play of the pack.
func named(t *testing.T, name string) *play {
	t.Helper()
	for _, controller := range packs {
		if all := plays(t, controller, func(p *play) bool { return p.name() == name }, func(*play, string) {}); len(all) == 1 {
			all[0].simulate(t)
			return all[0]
		}
	}
	t.Fatalf("no play %s: it is left out, or has another name", name)
	return nil
}

// TestOutcome needs no real server: two runs of different seeds, whose UIDs and
// generated names differ, come to one outcome.
func TestOutcome(t *testing.T) {
	for _, name := range []string{"vmim/live-migration/none", "kvvm/affinity-edited-while/level"} {
		t.Run(name, func(t *testing.T) {
			p := named(t, name)
			other := sim.Run(t, p.story, p.variant, sim.Options{Seed: 2})
			if other.Trace.Hash == p.simulated.Trace.Hash {
				t.Fatal("two seeds gave the very same run: the test compares nothing")
			}
			found := parted(outcomeOf(other), outcomeOf(p.simulated))
			if len(found) > 0 {
				t.Errorf("want one outcome of both seeds, found %v", found)
			}
		})
	}
}

// TestOutcomeHasPhases reads one story whose phases are known: KubeVirt's own
// order of a migration that succeeds.
func TestOutcomeHasPhases(t *testing.T) {
	o := outcomeOf(named(t, "vmim/live-migration/none").simulated)
	want := []string{"Pending", "Scheduling", "Scheduled", "PreparingTarget", "TargetReady", "Running", "Succeeded"}
	if diff := cmp.Diff(want, o.phases["VirtualMachineInstanceMigration default/migration"]); diff != "" {
		t.Errorf("phases of the migration (-want +found):\n%s", diff)
	}
}

func TestParted(t *testing.T) {
	state := func(failed, phase, node string) outcome {
		o := outcome{phases: map[string][]string{"Pod a": {"Pending", phase}},
			objects: map[string]any{"Pod a": map[string]any{"node": node}}}
		if failed != "" {
			o.failed = []string{failed}
		}
		return o
	}
	for _, c := range []struct {
		name         string
		theirs, ours outcome
		want         []string
	}{
		{"the same", state("", "Running", "x"), state("", "Running", "x"), nil},
		{"another verdict", state("ends", "Running", "x"), state("", "Running", "x"), []string{"failed checks"}},
		{"another phase", state("", "Failed", "x"), state("", "Running", "x"), []string{"phases of Pod a"}},
		{"another end", state("", "Running", "x"), state("", "Running", "y"), []string{"Pod a .node"}},
		{"one object more", state("", "Running", "x"), outcome{}, []string{"phases of Pod a", "Pod a "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var paths []string
			for _, d := range parted(c.theirs, c.ours) {
				paths = append(paths, d.path)
			}
			if diff := cmp.Diff(c.want, paths); diff != "" {
				t.Errorf("differences (-want +found):\n%s", diff)
			}
		})
	}
}

// TestLeftOut: what is left out follows from the story, not from a list.
func TestLeftOut(t *testing.T) {
	for _, c := range []struct{ name, story, variant, want string }{
		{"a hold", "k1-pod-informer-behind", "none", leftForced},
		{"a garbage collector", "deleted-in-the-foreground", "none", leftPart},
		{"a schedule", "r4-crash-between-the-writes", "none", leftForced},
		{"a restart that must hit a moment", "restart-in-scheduled", "none", leftClose},
		{"a restart whose moment does not matter", "restart-in-running", "none", ""},
		{"an ordinary story", "live-migration", "wake", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			stories := append(pack(t, "vmim"), pack(t, "kvvm")...)
			i := slices.IndexFunc(stories, func(s *sim.Story) bool { return s.Metadata.Name == c.story })
			found := forced(stories[i])
			if found == "" && named(t, stories[i].Type()+"/"+c.story+"/"+c.variant).close(t) {
				found = leftClose
			}
			if found != c.want {
				t.Errorf("want %q, found %q", c.want, found)
			}
		})
	}
}

func TestLength(t *testing.T) {
	for _, c := range []struct {
		name, play string
		least      time.Duration
		most       time.Duration
	}{
		{"until nothing is written any more", "vmim/live-migration/none", 10 * time.Second, 40 * time.Second},
		{"to the end where requests are counted", "vmim/same-node/none", time.Minute, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			if p := named(t, c.play); p.length < c.least || p.length > c.most {
				t.Errorf("want %s to %s, found %s", c.least, c.most, p.length)
			}
		})
	}
}

func TestBudget(t *testing.T) {
	b := budget{servers: 2, given: 10 * time.Second}
	var found []bool
	for _, length := range []time.Duration{6, 5, 5, 5, 4, 2, 1} {
		found = append(found, b.afford(&play{length: length * time.Second}))
	}
	// More than half of a server's time is too long; then the sum counts.
	if diff := cmp.Diff([]bool{false, true, true, true, true, false, true}, found); diff != "" {
		t.Errorf("afforded (-want +found):\n%s", diff)
	}
}

// TestChoose: what leaves no time for others is not even simulated for them.
func TestChoose(t *testing.T) {
	wanted := func(p *play) bool { return p.story.Metadata.Name == "same-node" } // a minute each, under every variant
	for _, c := range []struct {
		name         string
		given        time.Duration
		chosen, left int
	}{
		{"any time", 0, 5, 0},
		{"time for all", 6 * time.Minute, 5, 0},
		{"time for two", 2 * time.Minute, 2, 3},
		{"time for none", time.Minute, 0, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			left := 0
			chosen := choose(t, plays(t, "vmim", wanted, func(*play, string) {}), budget{servers: 1, given: c.given}, func(*play, string) { left++ })
			if len(chosen) != c.chosen || left != c.left {
				t.Errorf("want %d chosen and %d left out, found %d and %d", c.chosen, c.left, len(chosen), left)
			}
			if len(chosen) == 2 && (!chosen[0].first || !chosen[1].first) {
				t.Errorf("want none and wake before the others, found %s and %s", chosen[0].name(), chosen[1].name())
			}
		})
	}
}
