package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
)

const behindStory = `
given: {fixtures: [vmim/two-nodes], settings: {kube-apiserver.replicas: 2}}
timeline:
  - {at: 10s, apply: {apiVersion: v1, kind: Pod, metadata: {name: late, namespace: default}}}
  - {at: 12s, restart: kube-ovn-controller}
until: 60s
expect:
  - {name: time-passes, never: 1 == 2}
`

// A process that starts again lists what it knew already, from a front-end that is
// behind; the watch after it goes on when that one does.
func TestStaleList(t *testing.T) {
	const list, added = ctl + "list Pod #2", ctl + "deliver Pod default/late ADDED #2"
	tests := []struct {
		name    string
		stale   time.Duration
		applies bool
		added   string // when the pod is seen; empty if it is in the list
	}{
		{"a second, since which nothing was written", time.Second, false, ""},
		{"5 s, before the pod was created", 5 * time.Second, true, "17.001s"},
		{"longer than the run goes", time.Hour, true, "never"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := written(t, behindStory+"schedule: [{point: '"+list+"', stale: "+test.stale.String()+"}]\n")
			r := sim.Confirm(sim.Run(t, s, "none", sim.Options{}), sim.Run(t, s, "none", sim.Options{}))
			if applied := len(r.Unapplied) == 0; r.Status != sim.Judged || applied != test.applies {
				t.Fatalf("applied: %v, want %v: %s", applied, test.applies, summary(r))
			}
			seen := strings.Join(linesOf(r, added), "\n")
			switch {
			case test.added == "" || test.added == "never":
				if seen != "" {
					t.Errorf("seen as an event: %s", seen)
				}
			case !strings.HasPrefix(seen, test.added+" "):
				t.Errorf("seen at %q, want %s", seen, test.added)
			}
		})
	}
}

// A crash may have all lists of the new process come from such a front-end; the
// run is healed when that one has caught up.
func TestCrashOntoAStaleList(t *testing.T) {
	const point = ctl + "call ovn-nb vm.default set-migrate-options #1"
	s := story(t, "vmim/live-migration.yaml")
	plain := perturbed(t, s, "wake", engine.Perturbation{Point: point, Crash: engine.CrashAfter, Restart: time.Second})
	r := perturbed(t, s, "wake", engine.Perturbation{Point: point, Crash: engine.CrashAfter, Restart: time.Second, Stale: 30 * time.Second})
	if plain.Trace.Hash == r.Trace.Hash {
		t.Fatal("the older state changes nothing")
	}
	const added = ctl + "deliver VirtualMachineInstanceMigration default/migration ADDED #2"
	if list, event := at(t, r, ctl+"list VirtualMachineInstanceMigration #2"), at(t, r, added); event-list != 30*time.Second {
		t.Errorf("listed at %v, and the migration is there at %v, want 30 s later", list, event)
	}
	if lines := linesOf(plain, added); len(lines) > 0 {
		t.Errorf("without, the list has it: %q", lines)
	}
}

// A front-end that was behind is so once: a process that starts again later, or
// when it has caught up, lists what there is.
func TestFrontEndCatchesUp(t *testing.T) {
	const point = ctl + "call ovn-nb vm.default set-migrate-options #1"
	crash := engine.Perturbation{Point: point, Crash: engine.CrashAfter, Restart: time.Second, Stale: 3 * time.Second}
	tests := []struct {
		name  string
		again engine.Perturbation
		stale bool
	}{
		{"while it is behind, the new process asks another", engine.Perturbation{Crash: engine.CrashBefore, Restart: time.Second}, false},
		{"or this one", engine.Perturbation{Crash: engine.CrashBefore, Restart: time.Second, Stale: 3 * time.Second}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			again := test.again
			again.Point = ctl + "watch VirtualMachineInstanceMigration #2"
			r := perturbed(t, story(t, "vmim/live-migration.yaml"), "wake", crash, again)
			if len(r.Unapplied) > 0 {
				t.Fatal(summary(r))
			}
			if added := linesOf(r, ctl+"deliver VirtualMachineInstanceMigration default/migration ADDED"); (len(added) > 1) != test.stale {
				t.Errorf("the third list lacks the migration: want %v, seen as events: %q", test.stale, added)
			}
		})
	}
}
