package cluster_test

import (
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
)

// interferenceStories are further rows of D.7.
var interferenceStories = []*story{
	{name: "target evicted in Scheduling", during: facts.PhaseScheduling, do: evictTarget,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "1.065s Failed"}},
	{name: "target evicted in Scheduled", during: facts.PhaseScheduled, do: evictTarget,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "4.579s Failed"}},
	{name: "target evicted in PreparingTarget", during: facts.PhasePreparingTarget, do: evictTarget,
		settings: map[string]string{"virt-handler.prepare": "5s"},
		phases:   []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.589s PreparingTarget", "4.605s Failed"},
		check:    checkStays},
	{name: "target evicted in Running", during: facts.PhaseRunning, do: evictTarget,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.589s PreparingTarget",
			"4.094s TargetReady", "4.107s Running", "5.123s Failed"}, check: checkStays},
	{name: "instance final in Pending", during: facts.PhasePending, do: endInstance,
		phases: []string{"1.026s Pending", "1.039s Failed"}},
	{name: "instance final in Scheduling", during: facts.PhaseScheduling, do: endInstance,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "1.065s Failed"},
		check: func(t *testing.T, w *world) {
			if w.target() == nil {
				t.Error("want the target pod still there (D.7: until the instance is deleted), found none")
			}
		}},
	{name: "instance final in Scheduled", during: facts.PhaseScheduled, do: endInstance,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.577s Failed"}},
	{name: "instance final in Running", during: facts.PhaseRunning, do: endInstance,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.589s PreparingTarget",
			"4.094s TargetReady", "4.107s Running", "4.12s Failed"}},
	{name: "instance deleted in Scheduling", during: facts.PhaseScheduling, do: func(w *world) { w.Delete(facts.KindVMI, theVMI) },
		phases: []string{"1.026s Pending", "1.052s Scheduling"}, check: checkOrphaned},
	{name: "source pod deleted in Running", during: facts.PhaseRunning, do: func(w *world) { w.Delete(facts.KindPod, "default/source") },
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.589s PreparingTarget",
			"4.094s TargetReady", "4.107s Running", "5.124s Failed"},
		check: func(t *testing.T, w *world) { w.want(t, facts.KindVMI, theVMI, "Succeeded", "status", "phase") }},
	// D.5: "if the target pod was created but is not yet in the pod cache, nothing
	// is deleted and the pod is orphaned after Failed" (#7787).
	{name: "cancelled before the cache has the target pod", before: func(w *world) {
		w.when(func() bool { return w.target() != nil }, func() {
			w.Engine.Lag("virt-controller", facts.KindPod, "", time.Second)
			cancel(w)
		})
	}, noNetwork: true, phases: []string{"1.026s Pending", "1.052s Failed", "1.065s -"}, check: func(t *testing.T, w *world) {
		if w.target() == nil {
			t.Error("want the target pod orphaned, found none")
		}
	}},
	{name: "target node cordoned after binding", during: facts.PhaseScheduling, do: cordonTarget, phases: happyStories[0].phases},
	{name: "virt-controller restarts in Scheduled", during: facts.PhaseScheduled, do: restart("virt-controller"),
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.589s PreparingTarget",
			"4.094s TargetReady", "4.107s Running", "14.1s Succeeded"}},
	{name: "virt-controller restarts in PreparingTarget", during: facts.PhasePreparingTarget, do: restart("virt-controller"),
		phases: happyStories[0].phases},
	{name: "virt-handler restarts in Running", during: facts.PhaseRunning, do: restart("virt-handler"),
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.589s PreparingTarget",
			"4.094s TargetReady", "4.107s Running", "14.126s Succeeded"}},
	{name: "scheduler is down for a while", during: facts.PhasePending, do: func(w *world) {
		crash(w, "kube-scheduler")
		w.At(10*time.Second, "start", func() { restart("kube-scheduler")(w) })
	}, phases: []string{"1.026s Pending", "1.052s Scheduling", "13.524s Scheduled", "13.55s PreparingTarget",
		"14.055s TargetReady", "14.068s Running", "24.061s Succeeded"}},
	{name: "a second migration of the same instance fails at once (D.3)", during: facts.PhaseRunning,
		do:     func(w *world) { w.createMigration(5*time.Second, "second", nil) },
		phases: happyStories[0].phases,
		check: func(t *testing.T, w *world) {
			w.want(t, facts.KindMigration, "default/second", facts.PhaseFailed, "status", "phase")
		}},
}

func evictTarget(w *world) {
	ref := w.target().Ref()
	w.Delete(ref.Kind, ref.Key())
}

func endInstance(w *world) { w.Patch(facts.KindVMI, theVMI, "", "status: {phase: Failed}") }

func crash(w *world, process string) {
	if err := w.cluster.Crash(process); err != nil {
		w.T.Fatal(err)
	}
}

func restart(process string) func(w *world) {
	return func(w *world) {
		if err := w.cluster.Restart(process); err != nil {
			w.T.Fatal(err)
		}
	}
}

// checkStays: the machine is where it was, the migration failed on the instance.
func checkStays(t *testing.T, w *world) {
	w.want(t, facts.KindVMI, theVMI, "node-a", "status", "nodeName")
	w.want(t, facts.KindVMI, theVMI, true, "status", "migrationState", "failed")
	w.want(t, facts.KindVMI, theVMI, true, "status", "migrationState", "completed")
	w.want(t, facts.KindVMI, theVMI, facts.PhaseRunning, "status", "phase")
}

// checkOrphaned: the migration of an instance that is gone is deleted, but nobody
// takes its finalizer off (D.4 row 1).
func checkOrphaned(t *testing.T, w *world) {
	w.want(t, facts.KindMigration, theMigration, []any{facts.FinalizerMigration}, "metadata", "finalizers")
	if w.Object(facts.KindMigration, theMigration)["metadata"].(map[string]any)["deletionTimestamp"] == nil {
		t.Error("want the migration deleted, found no deletionTimestamp")
	}
}
