package cluster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// started makes the machine of a strategy run, if it does not by itself.
func started(w *world, strategy string) {
	switch strategy {
	case facts.RunManual:
		w.At(1500*time.Millisecond, "ask for a start", func() { w.request("{action: Start}") })
	case facts.RunHalted:
		w.At(4*time.Second, "halt", func() { w.Patch(facts.KindVM, "default/vm", "", "spec: {runStrategy: Halted}") })
	}
}

// strategyAtCreation is what a machine is created with: a halted one ran before.
func strategyAtCreation(strategy string) string {
	if strategy == facts.RunHalted {
		return facts.RunAlways
	}
	return strategy
}

func lastOf(values []string) string {
	if len(values) == 0 {
		return ""
	}
	_, value, _ := strings.Cut(values[len(values)-1], " ")
	return value
}

// TestRecreation: kubevirt-behaviour B.4. The placement of an unschedulable
// machine is corrected at 5 s, and at the same instant somebody deletes the pod or
// the instance. What becomes of it depends on the strategy.
func TestRecreation(t *testing.T) {
	for _, c := range []struct {
		strategy string
		delete   string // kind
		status   string // in the end
		phase    string // of the instance in the end; "-" if it is gone
	}{
		{facts.RunAlways, facts.KindPod, "Running", "Running"},
		{facts.RunAlways, facts.KindVMI, "Running", "Running"},
		{facts.RunRerunOnFailure, facts.KindPod, "Running", "Running"},
		// It is not started again. The instance failed early, which is counted, so row
		// 14 of A.6 comes before row 15: it does not show as Stopped.
		{facts.RunRerunOnFailure, facts.KindVMI, "CrashLoopBackOff", "-"},
		{facts.RunManual, facts.KindPod, "ErrorUnschedulable", "Failed"},
		{facts.RunManual, facts.KindVMI, "Stopped", "-"},
		{facts.RunOnce, facts.KindPod, "ErrorUnschedulable", "Failed"},
		{facts.RunOnce, facts.KindVMI, "Running", "Running"},
		{facts.RunHalted, facts.KindPod, "Stopped", "-"},
		{facts.RunHalted, facts.KindVMI, "Stopped", "-"},
	} {
		t.Run(c.strategy+", "+c.delete+" deleted", func(t *testing.T) {
			s := vmStory{machine: virtualMachine(strategyAtCreation(c.strategy), "zone: nowhere"), until: 2 * time.Minute}
			s.do = func(w *world) {
				started(w, c.strategy)
				w.At(5*time.Second, "correct and delete", func() {
					w.place()
					switch {
					case c.strategy == facts.RunHalted: // deleted anyway
					case c.delete == facts.KindPod:
						w.Delete(facts.KindPod, w.launcherKey())
					default:
						w.Delete(facts.KindVMI, "default/vm")
					}
				})
			}
			w, statuses, phases := s.run(t)
			if lastOf(statuses) != c.status || lastOf(phases) != c.phase {
				t.Errorf("want %s with the instance %s, found %v with %v", c.status, c.phase, statuses, phases)
			}
			if c.status != "Running" {
				return
			}
			if selector := standin.Map(w.launcher(), "spec", "nodeSelector"); selector["zone"] != nil {
				t.Errorf("want a pod with the new placement, found %v", selector)
			}
		})
	}
}

// TestSecondPod: kubevirt-behaviour B.4, the exception: "if the VMI controller
// still sees phase Pending (its own phase write conflicted) and the pod is really
// gone from the cache, it creates another pod from the VMI spec".
func TestSecondPod(t *testing.T) {
	playVM(t, []vmStory{{name: "story", machine: virtualMachine("Always", "zone: nowhere"), do: func(w *world) {
		w.At(1055500*time.Microsecond, "touch", func() { w.Patch(facts.KindVMI, "default/vm", "", "metadata: {labels: {a: b}}") })
		w.At(1057*time.Millisecond, "delete", func() { w.Delete(facts.KindPod, w.launcherKey()) })
	}, phases: []string{"1.028s Pending", "1.069s Scheduling"}, check: func(t *testing.T, w *world) {
		equal(t, "pods that were created", 2, len(w.Deeds("create Pod default/virt-launcher-vm- ")))
		w.want(t, facts.KindVM, "default/vm", nil, "status", "startFailure")
	}}})
}

// TestRecreationInstants: what B.4 says of Always, step by step: "VMI Failed →
// stopVMI → VMI gone → startFailure n → wait 10–15 s (n=1) → new VMI".
func TestRecreationInstants(t *testing.T) {
	deletePod := func(w *world) { w.Delete(facts.KindPod, w.launcherKey()) }
	playVM(t, []vmStory{
		{name: "Always, pod deleted: back-off", machine: virtualMachine("Always", "zone: nowhere"),
			do: func(w *world) { w.At(5*time.Second, "delete", func() { deletePod(w) }) },
			statuses: []string{"1.029s Starting", "1.08s ErrorUnschedulable", "5.053s CrashLoopBackOff",
				"17.065s Starting", "17.116s ErrorUnschedulable"},
			phases: []string{"1.028s Pending", "1.056s Scheduling", "5.013s Failed", "5.04s -", "17.064s Pending", "17.092s Scheduling"},
			check: func(t *testing.T, w *world) {
				w.want(t, facts.KindVM, "default/vm", int64(1), "status", "startFailure", "consecutiveFailCount")
				w.want(t, facts.KindVM, "default/vm", "2030-01-01T00:00:17Z", "status", "startFailure", "retryAfterTimestamp")
			}},
		{name: "Always, pod deleted three times: the back-off grows (A.5)", machine: virtualMachine("Always", "zone: nowhere"), until: 5 * time.Minute,
			do: func(w *world) {
				for _, at := range []time.Duration{5, 25, 100} {
					w.At(at*time.Second, "delete", func() { deletePod(w) })
				}
			},
			// 12 s of 10-15, 51 s of 40-60, 90 s of 90-135, after the failures at 5.025,
			// 25.025 and 100.025 s.
			phases: []string{"1.028s Pending", "1.056s Scheduling", "5.013s Failed", "5.04s -",
				"17.064s Pending", "17.092s Scheduling", "25.013s Failed", "25.04s -",
				"1m16.064s Pending", "1m16.092s Scheduling", "1m40.013s Failed", "1m40.04s -",
				"3m10.064s Pending", "3m10.092s Scheduling"}},
	})
}
