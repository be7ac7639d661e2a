package cluster_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

var timeoutStories = []*story{
	{name: "dead-lock without network set-up (D.6: 900 s)", noNetwork: true, until: 16 * time.Minute,
		// The pod was created at 1.039 s and says 1 s: after 900 s it is deleted,
		// and the next pass fails the migration.
		phases: []string{"1.026s Pending", "1.052s Scheduling", "15m1.024s Failed"}, check: checkDeadlock},
	{name: "pending pod time-out by annotation", noNetwork: true,
		given:  annotated(facts.AnnotationPendingTimeout, "20"),
		phases: []string{"1.026s Pending", "1.052s Scheduling", "21.024s Failed"}},
	{name: "unschedulable target (D.6: 300 s)", before: cordonTarget, until: 6 * time.Minute,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "5m1.024s Failed"}, check: checkUnschedulable},
	{name: "unschedulable time-out by annotation", before: cordonTarget,
		given:  annotated(facts.AnnotationUnschedulableTimeout, "10"),
		phases: []string{"1.026s Pending", "1.052s Scheduling", "11.024s Failed"}},
	// Kube-OVN's retries have backed off to 5.12 s by then: the port is set up at
	// 11.29 s, the CNI ADD that began at 10.01 s sees it at its poll at 11.51 s.
	{name: "unschedulable, then uncordoned", before: cordonTarget,
		during: facts.PhaseScheduling, do: func(w *world) {
			w.At(10*time.Second, "uncordon", func() { w.Patch(facts.KindNode, "node-b", "", "spec: {unschedulable: null}") })
		},
		phases: []string{"1.026s Pending", "1.052s Scheduling", "13.524s Scheduled", "13.55s PreparingTarget",
			"14.055s TargetReady", "14.068s Running", "24.061s Succeeded"}},
}

func annotated(name, value string) map[string]any {
	return map[string]any{"annotations": map[string]any{name: value}}
}

func cordonTarget(w *world) { w.Patch(facts.KindNode, "node-b", "", "spec: {unschedulable: true}") }

func checkDeadlock(t *testing.T, w *world) {
	if w.target() != nil {
		t.Error("want the target pod gone, found it")
	}
	w.want(t, facts.KindVMI, theVMI, "node-a", "status", "nodeName")
	w.want(t, facts.KindVMI, theVMI, nil, "status", "migrationState")
	w.want(t, facts.KindMigration, theMigration, map[string]any{"sourcePod": "source"}, "status", "migrationState")
	w.want(t, facts.KindMigration, theMigration, nil, "metadata", "finalizers")
	if chassis := w.port().Chassis; chassis != "node-a" {
		t.Errorf("want the port still on node-a, found %q", chassis)
	}
	// D.9: CNI ADD waits 30 s, ~40 s a cycle, from the moment the pod is bound.
	failures := w.Steps("kubelet", "CNI ADD timed out after 30s")
	if len(failures) != 22 {
		t.Errorf("want 22 failed CNI ADDs within 900 s, found %d", len(failures))
	}
	first := []string{"31.049s", "1m11.049s", "1m51.049s"}
	for i, at := range first {
		if diff := cmp.Diff(at, failures[i][:len(at)]); diff != "" {
			t.Errorf("failure %d (-want +found):\n%s", i+1, diff)
		}
	}
}

func checkUnschedulable(t *testing.T, w *world) {
	const message = "0/2 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 1 node(s) were unschedulable. " +
		"preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, " +
		"1 Preemption is not helpful for scheduling."
	found := ""
	for _, step := range w.Engine.Trace().Steps {
		for _, c := range step.Changes {
			if c.Ref.Kind == facts.KindPod && c.After != nil {
				if cond := standin.Condition(c.After.Content(), "PodScheduled"); standin.String(cond, "reason") == "Unschedulable" {
					found = standin.String(cond, "message")
				}
			}
		}
	}
	if diff := cmp.Diff(message, found); diff != "" {
		t.Errorf("message (-want +found):\n%s", diff)
	}
	if w.target() != nil {
		t.Error("want the target pod gone at once (C.5: unscheduled, no finalizer), found it")
	}
}
