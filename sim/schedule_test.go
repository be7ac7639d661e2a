package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// targetPod is the point at which Kube-OVN's cache sees the target pod of the
// plain live migration; the pod's name is generated.
func targetPod(t *testing.T, s *sim.Story) string {
	t.Helper()
	for _, step := range sim.Run(t, s, "none", sim.Options{}).Trace.Steps {
		if p := step.Point.String(); strings.HasPrefix(p, "kube-ovn-controller: deliver Pod") && strings.HasSuffix(p, "ADDED #1") {
			return p
		}
	}
	t.Fatal("the target pod was never delivered")
	return ""
}

// One delivery 20 ms late turns the plain live migration into K1. The pod's next
// event, with its node, waits in line behind the first: so the retry for a
// missing pod finds everything.
func TestOneLateDeliveryBreaksTheMigration(t *testing.T) {
	s := story(t, "vmim/live-migration.yaml")
	late := []engine.Perturbation{{Point: targetPod(t, s), Delay: 20 * time.Millisecond}}
	tests := []struct {
		variant string
		red     bool
	}{{"none", true}, {"scheduling-retry", true}, {"target-pod-retry", false}, {"both", false}, {"wake", false}}
	for _, test := range tests {
		t.Run(test.variant, func(t *testing.T) {
			r := sim.Judge(t, s, test.variant, sim.Options{Schedule: late})
			if r.Status != sim.Judged || r.Red() != test.red {
				t.Error(summary(r))
			}
		})
	}
}

// A search judges with grace: what comes late because of a delay is no finding,
// what does not come within the bound after it is.
func TestGrace(t *testing.T) {
	s := story(t, "vmim/target-pod-not-created.yaml")
	const point = "kube-ovn-controller: deliver Pod default/virt-launcher-vm-target ADDED #1"
	tests := []struct {
		name    string
		variant string
		delay   time.Duration
		bound   time.Duration
		red     bool
	}{
		{"judged as written, a delay of 30 s is too much", "wake", 30 * time.Second, 0, true},
		{"judged with grace, it is not", "wake", 30 * time.Second, time.Minute, false},
		{"what is dropped stays dropped", "none", 30 * time.Second, time.Minute, true},
		{"the back-off has grown beyond the bound", "both", 400 * time.Second, time.Minute, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := sim.Options{Schedule: []engine.Perturbation{{Point: point, Delay: test.delay}}, Bound: test.bound}
			if r := sim.Run(t, s, test.variant, o); r.Red() != test.red {
				t.Error(summary(r))
			}
		})
	}
}

func TestScheduleMustApply(t *testing.T) {
	s := story(t, "vmim/already-scheduled.yaml")
	r := sim.Run(t, s, "none", sim.Options{Schedule: []engine.Perturbation{{Point: "kube-ovn-controller: get Pod default/ghost #1", Reset: true}}})
	wantLines(t, finding(t, r, sim.CheckSchedule).Message, "nothing was perturbed at:", "get Pod default/ghost #1")
}

// A crash starts the controller, or a stand-in, again with an empty cache.
func TestCrashByPoint(t *testing.T) {
	s := story(t, "vmim/live-migration.yaml")
	for _, point := range []string{
		"kube-ovn-controller: call ovn-nb vm.default set-migrate-options #1",
		"virt-controller: update VirtualMachineInstanceMigration default/migration status #2",
	} {
		for _, when := range []engine.Crash{engine.CrashBefore, engine.CrashAfter} {
			t.Run(string(when)+" "+point, func(t *testing.T) {
				o := sim.Options{Bound: time.Minute, Schedule: []engine.Perturbation{{Point: point, Crash: when, Restart: time.Second}}}
				r := sim.Judge(t, s, "wake", o)
				if r.Status != sim.Judged || r.Red() {
					t.Error(summary(r))
				}
			})
		}
	}
}

// A scenario with grace is judged as the search judged it, whatever the options
// say; that a variant does not come to a point of its schedule is no failure.
func TestScenarioWithGrace(t *testing.T) {
	s := written(t, `
given: {fixtures: [vmim/vm-on-node-a]}
schedule:
  - {point: "kube-ovn-controller: get Pod default/ghost #1", reset: true}
timeline:
  - {name: late, at: 5s, cordon: node-b}
  - {name: never, when: 'node("ghost") != null', mark: true}
seed: 1
grace: 30s
until: 10s
expect:
  - {name: in-time, eventually: 'node("node-b").spec.unschedulable == true', within: 1s}
  - {name: early, written: true, eventually: 'node("node-b").spec.unschedulable == true', within: 1s}
`)
	r := sim.Judge(t, s, "none", sim.Options{Seed: 7})
	if r.Red() || r.Seed != 1 || r.Trace.End != 40*time.Second || len(r.Unapplied) != 1 {
		t.Errorf("seed %d, end %v, unapplied %v, %s", r.Seed, r.Trace.End, r.Unapplied, summary(r))
	}
}
