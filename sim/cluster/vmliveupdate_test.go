package cluster_test

import (
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// zones puts node-b into the zone "here"; "nowhere" is the zone of no node.
func zones(w *world) {
	w.Patch(facts.KindNode, "node-b", "", "metadata: {labels: {zone: here}}")
}

// TestPlacementChange: kubevirt-behaviour B.2, the placement of a machine changes
// in each phase of its instance, from a zone that is not there to one that is: the
// instance is patched in any, its pod never.
func TestPlacementChange(t *testing.T) {
	for _, c := range []struct {
		name      string
		selector  string // at first
		at        time.Duration
		instance  string // its zone 50 ms later
		pod       string // the zone of the pod in the end
		status    string // in the end
		node      string
		placement string // NodePlacementNotMatched in the end
	}{
		{"before the instance", "zone: nowhere", 1020 * time.Millisecond, "here", "here", "Running", "node-b", "False"},
		{"Pending, no pod yet", "zone: nowhere", 1030 * time.Millisecond, "here", "here", "Running", "node-b", "False"},
		{"Pending, the pod is rendered before the patch arrives", "zone: nowhere", 1045 * time.Millisecond, "here", "nowhere", "ErrorUnschedulable", "", ""},
		{"Scheduling, unschedulable", "zone: nowhere", 5 * time.Second, "here", "nowhere", "ErrorUnschedulable", "", ""},
		{"Scheduling, bound", "", 2 * time.Second, "here", "-", "Running", "node-a", "True"},
		{"Scheduled", "", 3500 * time.Millisecond, "here", "-", "Running", "node-a", "True"},
		{"Running", "", 10 * time.Second, "here", "-", "Running", "node-a", "True"},
	} {
		t.Run(c.name, func(t *testing.T) {
			playVM(t, []vmStory{{name: "story", machine: virtualMachine("Always", c.selector), do: func(w *world) {
				zones(w)
				w.At(c.at, "change", func() {
					w.Patch(facts.KindVM, "default/vm", "", "spec: {template: {spec: {nodeSelector: {zone: here}}}}")
				})
				w.At(c.at+50*time.Millisecond, "look", func() {
					if got := field(w.Object(facts.KindVMI, "default/vm"), "spec", "nodeSelector", "zone"); got != c.instance {
						t.Errorf("want the instance's zone %q, found %q", c.instance, got)
					}
				})
			}, check: func(t *testing.T, w *world) {
				vm, vmi := w.Object(facts.KindVM, "default/vm"), w.Object(facts.KindVMI, "default/vm")
				found := []string{field(w.launcher(), "spec", "nodeSelector", "zone"), field(vm, "status", "printableStatus"),
					standin.String(vmi, "status", "nodeName"), standin.String(standin.Condition(vmi, "NodePlacementNotMatched"), "status")}
				equal(t, "zone of the pod, status, node, NodePlacementNotMatched", []string{c.pod, c.status, c.node, c.placement}, found)
			}}})
		})
	}
}

// TestOldPlacementMatches: kubevirt-behaviour B.2, "VM stays ErrorUnschedulable
// until a node starts to match the OLD pod spec"; C.5, "editing VMI/VM objects
// never" wakes the scheduler, a node that turns from non-match to match does.
func TestOldPlacementMatches(t *testing.T) {
	playVM(t, []vmStory{{name: "story", machine: virtualMachine("Always", "zone: nowhere"), until: 2 * time.Minute, do: func(w *world) {
		zones(w)
		w.At(5*time.Second, "change", func() {
			w.Patch(facts.KindVM, "default/vm", "", "spec: {template: {spec: {nodeSelector: {zone: here}}}}")
		})
		w.At(20*time.Second, "a label that does not matter", func() { w.Patch(facts.KindNode, "node-a", "", "metadata: {labels: {rack: one}}") })
		w.At(30*time.Second, "the old zone appears", func() { w.Patch(facts.KindNode, "node-a", "", "metadata: {labels: {zone: nowhere}}") })
	}, statuses: []string{"1.029s Starting", "1.08s ErrorUnschedulable", "30.034s Starting", "33.042s Running"},
		check: func(t *testing.T, w *world) {
			equal(t, "scheduling attempts", []string{
				"1.061s kube-scheduler: work Pod " + w.launcherKey() + " #1",
				"30.007s kube-scheduler: work Pod " + w.launcherKey() + " #2",
			}, w.Deeds("kube-scheduler: work"))
		}}})
}
