package virtcontroller_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller"
)

// young is an instance that the controller has seen before, in some phase; it has
// no node yet.
func young(phase, meta, status string) string {
	return `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: vm, namespace: default, uid: vmi-vm, finalizers: [kubevirt.io/foregroundDeleteVirtualMachine],
  annotations: {kubevirt.io/latest-observed-api-version: v1}` + meta + `}
spec: {nodeSelector: {zone: one}, domain: {devices: {}}}
status: {phase: "` + phase + `"` + status + `}
`
}

// own is a pod of the instance.
func own(status string) string {
	return `
apiVersion: v1
kind: Pod
metadata:
  {name: launcher, namespace: default, uid: launcher, labels: {kubevirt.io: virt-launcher, kubevirt.io/created-by: vmi-vm, vm.kubevirt.io/name: vm},
   finalizers: [x/y], ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, name: vm, uid: vmi-vm, controller: true}]}
spec: {nodeName: node-a, containers: [{name: compute, image: launcher}]}
status: {` + status + `}
`
}

const (
	inDeletion   = `, deletionTimestamp: "2030-01-01T00:00:00Z"`
	podRunning   = `phase: Running, containerStatuses: [{name: compute, image: launcher, imageID: "", ready: true, restartCount: 0, state: {running: {}}}]`
	podNotPlaced = `conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: no node}]`
	notPlaced    = `, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: an older text}]`
)

func startWith(t *testing.T, o virtcontroller.Options, documents ...string) *stage.Stage {
	t.Helper()
	s := stage.New(t)
	for _, doc := range documents {
		s.Load(doc)
	}
	o.Latency = virtcontroller.DefaultLatency
	o.PerCluster, o.PerNode = virtcontroller.DefaultPerCluster, virtcontroller.DefaultPerNode
	if _, err := virtcontroller.New(s.Host(), o); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestInstancePhases: kubevirt-behaviour C.1, the rows of virt-controller, one
// reconcile each.
func TestInstancePhases(t *testing.T) {
	terminating := strings.Replace(own("phase: Pending"), "uid: launcher,", "uid: launcher"+inDeletion+",", 1)
	migrating := strings.Replace(mig("vm", "Scheduling", ""), "uid: mig-vm", "uid: mig-other", 1)
	ended := strings.Replace(own("phase: Succeeded"), "finalizers: [x/y], ", "", 1)
	const creation = "create Pod default/virt-launcher-vm-"
	for _, c := range []struct {
		name string
		docs []string
		want string // phase
		deed string // a step that there must be; "!" one that there must not be
		cond string // "PodScheduled" of the instance
	}{
		{"no phase, no pod: pod and Scheduling in one reconcile", []string{young("", "", "")}, "Scheduling", creation, ""},
		{"Pending, no pod: the same", []string{young("Pending", "", "")}, "Scheduling", creation, ""},
		{"Pending, a pod in the cache", []string{young("Pending", "", ""), own("phase: Pending")}, "Scheduling", "!" + creation, ""},
		{"Pending, in deletion, no pod", []string{young("Pending", inDeletion, "")}, "Failed", "!" + creation, ""},
		{"Pending, a migration is active: no pod", []string{young("Pending", "", ""), migrating}, "Pending", "!" + creation, ""},
		{"Pending, receiver: waits", []string{strings.Replace(young("Pending", "", ""), "annotations: {", `annotations: {kubevirt.io/create-migration-target: "true", `, 1)},
			"WaitingForSync", "!" + creation, ""},
		{"Scheduling, pod unschedulable: copied", []string{young("Scheduling", "", ""), own(podNotPlaced)}, "Scheduling", "", "no node"},
		{"Scheduling, it was copied before: not refreshed", []string{young("Scheduling", "", notPlaced), own(podNotPlaced)}, "Scheduling", "", "an older text"},
		{"Scheduling, pod scheduled: removed", []string{young("Scheduling", "", notPlaced), own("phase: Pending")}, "Scheduling", "", ""},
		{"Scheduling, pod ready", []string{young("Scheduling", "", notPlaced), own(podRunning)}, "Scheduled", "", ""},
		{"Scheduling, pod ready, instance in deletion", []string{young("Scheduling", inDeletion, ""), own(podRunning)}, "Scheduling", "delete Pod default/launcher", ""},
		{"Scheduling, no pod: none is created (B.3)", []string{young("Scheduling", "", notPlaced)}, "Failed", "!" + creation, "an older text"},
		{"Scheduling, pod in deletion", []string{young("Scheduling", "", notPlaced), terminating}, "Failed", "", ""},
		{"Scheduling, pod failed", []string{young("Scheduling", "", ""), own("phase: Failed")}, "Failed", "", ""},
		{"Scheduled, no pod", []string{young("Scheduled", "", ", nodeName: node-a")}, "Failed", "", ""},
		{"Scheduled, pod on another node", []string{young("Scheduled", "", ", nodeName: node-b"), own(podRunning)}, "Failed", "", ""},
		{"Running, no pod", []string{young("Running", "", ", nodeName: node-a")}, "Failed", "", ""},
		{"Running, pod ended: virt-handler's business", []string{young("Running", "", ", nodeName: node-a"), own("phase: Succeeded")}, "Running", "", ""},
		{"Running, in deletion: the pod is deleted", []string{young("Running", inDeletion, ", nodeName: node-a"), own(podRunning)}, "Running", "delete Pod default/launcher", ""},
		{"in deletion, pod in deletion: let be", []string{young("Running", inDeletion, ", nodeName: node-a"), terminating}, "Running", "!delete Pod", ""},
		{"Failed, a pod: kept, it is not deleted", []string{young("Failed", "", ""), own(podRunning)}, "Failed", "!delete Pod", ""},
		{"Failed, in deletion, an ended pod: deleted", []string{young("Failed", inDeletion, ""), ended}, "Failed", "delete Pod default/launcher", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startWith(t, virtcontroller.Options{}, c.docs...)
			s.Engine.Advance(17 * time.Millisecond)
			o := s.Object(facts.KindVMI, "default/vm")
			if got := standin.String(o, "status", "phase"); got != c.want {
				t.Errorf("want %q, found %q; steps %v", c.want, got, s.Deeds())
			}
			if got := standin.String(standin.Condition(o, "PodScheduled"), "message"); got != c.cond && c.want != "Failed" {
				t.Errorf("want PodScheduled %q, found %q", c.cond, got)
			}
			deed, mustNot := strings.CutPrefix(c.deed, "!")
			if found := s.Deeds(deed); deed != "" && (len(found) == 0) != mustNot {
				t.Errorf("want a step %q: %v, found %v", deed, !mustNot, s.Deeds())
			}
		})
	}
}

// TestHandOff: C.1 and C.4, what an instance has when it is handed over.
func TestHandOff(t *testing.T) {
	s := startWith(t, virtcontroller.Options{}, young("Scheduling", "", ""), own(podRunning))
	s.Engine.Advance(time.Second)
	o := s.Object(facts.KindVMI, "default/vm")
	found := []any{standin.String(o, "status", "nodeName"), standin.String(o, "metadata", "labels", "kubevirt.io/nodeName"),
		standin.Map(o, "status", "activePods"), standin.String(s.Object(facts.KindPod, "default/launcher"), "metadata", "labels", "kubevirt.io/nodeName")}
	want := []any{"node-a", "node-a", map[string]any{"launcher": "node-a"}, "node-a"}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("node name, label, active pods, the pod's label (-want +found):\n%s", diff)
	}
}

// TestFinalizer: 0.5 and C.1, "final | no owned pods in cache | remove VMI
// finalizer"; nobody owns the instance, so the machine's finalizer goes too.
func TestFinalizer(t *testing.T) {
	doc := strings.Replace(young("Failed", inDeletion, ""), "finalizers: [", "finalizers: [kubevirt.io/virtualMachineControllerFinalize, ", 1)
	s := startWith(t, virtcontroller.Options{}, doc, own("phase: Failed"))
	s.Engine.Advance(time.Second)
	want := []any{"kubevirt.io/foregroundDeleteVirtualMachine"}
	if diff := cmp.Diff(want, standin.Field(s.Object(facts.KindVMI, "default/vm"), "metadata", "finalizers")); diff != "" {
		t.Errorf("finalizers while the pod is there (-want +found):\n%s", diff)
	}
	s.Patch(facts.KindPod, "default/launcher", "", "metadata: {finalizers: null}")
	s.Engine.Advance(2 * time.Second)
	if o := s.Object(facts.KindVMI, "default/vm"); o != nil {
		t.Errorf("want the instance gone, found %v", o["metadata"])
	}
}

// TestReady: kubevirt-behaviour A.7, the reasons of the instance's Ready.
func TestReady(t *testing.T) {
	const ready = podRunning + `, conditions: [{type: Ready, status: "True"}]`
	for _, c := range []struct {
		name, phase string
		pod         string
		want        string
	}{
		{"no pod", "Failed", "", "False PodNotExists"},
		{"pod ended", "Failed", own("phase: Failed"), "False PodTerminating"},
		{"guest not running", "Scheduling", own(ready), "False GuestNotRunning"},
		{"pod without the condition", "Running", own(podRunning), "False PodConditionMissing"},
		{"pod ready", "Running", own(ready), "True "},
	} {
		t.Run(c.name, func(t *testing.T) {
			docs := []string{young(c.phase, "", "")}
			if c.pod != "" {
				docs = append(docs, c.pod)
			}
			s := startWith(t, virtcontroller.Options{}, docs...)
			s.Engine.Advance(onePass)
			r := standin.Condition(s.Object(facts.KindVMI, "default/vm"), "Ready")
			if got := standin.String(r, "status") + " " + standin.String(r, "reason"); got != c.want {
				t.Errorf("want %q, found %q", c.want, got)
			}
		})
	}
}
