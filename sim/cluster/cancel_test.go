package cluster_test

import (
	"testing"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
)

// cancelStories delete the migration in each phase (D.7, first row).
var cancelStories = []*story{
	{name: "cancel in Pending, before the pod", during: facts.PhasePending, do: cancel,
		phases: []string{"1.026s Pending", "1.039s Failed", "1.052s -"}, check: checkCancelledEarly},
	{name: "cancel in Scheduling", during: facts.PhaseScheduling, do: cancel,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "1.066s Failed", "1.078s -"}, check: checkCancelledEarly},
	{name: "cancel in Scheduled", during: facts.PhaseScheduled, do: cancel,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.577s Failed", "3.589s -"}, check: checkCancelledEarly},
	{name: "cancel in PreparingTarget waits until Running", during: facts.PhasePreparingTarget, do: cancel,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.589s PreparingTarget",
			"4.094s TargetReady", "4.107s Running", "4.133s Failed", "4.147s -"}, check: checkAborted},
	{name: "cancel in TargetReady", during: facts.PhaseTargetReady, do: cancel,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.589s PreparingTarget",
			"4.094s TargetReady", "4.12s Running", "4.146s Failed", "4.16s -"}, check: checkAborted},
	{name: "cancel in Running", during: facts.PhaseRunning, do: cancel,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.589s PreparingTarget",
			"4.094s TargetReady", "4.107s Running", "4.133s Failed", "4.147s -"}, check: checkAborted},
	{name: "delete after Succeeded", during: facts.PhaseSucceeded, do: cancel,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.589s PreparingTarget",
			"4.094s TargetReady", "4.107s Running", "14.1s Succeeded", "14.112s -"}},
}

func cancel(w *world) { w.Delete(facts.KindMigration, theMigration) }

// checkCancelledEarly: before the hand-off the target pod is deleted, the
// instance never heard of it.
func checkCancelledEarly(t *testing.T, w *world) {
	w.gone(t, facts.KindMigration, theMigration)
	w.want(t, facts.KindVMI, theVMI, nil, "status", "migrationState")
	w.want(t, facts.KindVMI, theVMI, "node-a", "status", "nodeName")
	if w.target() != nil {
		t.Error("want the target pod gone, found it")
	}
}

// checkAborted: after the hand-off the source cancels the job.
func checkAborted(t *testing.T, w *world) {
	w.gone(t, facts.KindMigration, theMigration)
	w.want(t, facts.KindVMI, theVMI, true, "status", "migrationState", "abortRequested")
	w.want(t, facts.KindVMI, theVMI, "Succeeded", "status", "migrationState", "abortStatus")
	w.want(t, facts.KindVMI, theVMI, true, "status", "migrationState", "failed")
	w.want(t, facts.KindVMI, theVMI, "node-a", "status", "nodeName")
	if pod := w.target(); pod == nil || pod.Content()["status"].(map[string]any)["phase"] != facts.PhaseFailed {
		t.Error("want the target pod Failed and its object still there")
	}
}
