package facts_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// TestPodReady: kubevirt-behaviour C.1, IsPodReady: "pod phase Running, no
// deletionTimestamp, compute container Running state, other containers Ready".
func TestPodReady(t *testing.T) {
	const running, ended = "state: {running: {}}", "state: {terminated: {exitCode: 0}}"
	status := func(phase, compute, rest string) string {
		return "{phase: " + phase + ", containerStatuses: [{name: compute, image: i, imageID: '', ready: false, restartCount: 0, " + compute + "}" + rest + "]}"
	}
	const sidecarReady, sidecarNot = ", {name: sidecar, image: i, imageID: '', ready: true, restartCount: 0}", ", {name: sidecar, image: i, imageID: '', ready: false, restartCount: 0}"
	for _, c := range []struct {
		name, meta, status string
		ready, down        bool
	}{
		{"running", "", status("Running", running, ""), true, false},
		{"running, sidecar ready", "", status("Running", running, sidecarReady), true, false},
		{"running, sidecar not ready", "", status("Running", running, sidecarNot), false, false},
		{"being deleted", ", deletionTimestamp: '2030-01-01T00:00:00Z'", status("Running", running, ""), false, false},
		{"pending", "", status("Pending", running, ""), false, false},
		{"compute ended", "", status("Running", ended, ""), false, true},
		{"succeeded", "", status("Succeeded", ended, ""), false, true},
		{"no status", "", "{}", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := facts.ReadPod(load(t, "apiVersion: v1\nkind: Pod\nmetadata: {name: one, namespace: default"+c.meta+"}\n"+
				"spec: {containers: [{name: compute, image: i}, {name: sidecar, image: i}]}\nstatus: "+c.status))
			if p.Ready != c.ready || p.Down() != c.down {
				t.Errorf("want ready=%v down=%v, found ready=%v down=%v", c.ready, c.down, p.Ready, p.Down())
			}
		})
	}
}

func load(t *testing.T, doc string) engine.Revision {
	t.Helper()
	s := stage.New(t)
	s.Load(doc)
	kind := stage.Content(t, doc)["kind"].(string)
	return s.API.List(kind, "default")[0]
}

func TestReadPod(t *testing.T) {
	p := facts.ReadPod(load(t, `
apiVersion: v1
kind: Pod
metadata:
  name: one
  namespace: default
  uid: pod-1
  creationTimestamp: "2030-01-01T00:00:05Z"
  labels: {vm.kubevirt.io/name: vm}
  annotations: {kubevirt.io/migrationJobName: migration}
  finalizers: [x/y]
  ownerReferences: [{apiVersion: v1, kind: A, name: a, uid: a}, {apiVersion: v1, kind: B, name: b, uid: b, controller: true}]
spec: {containers: [{name: compute, image: i}]}
status: {conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]}
`))
	found := []any{p.UID, p.OwnerUID, p.Phase, p.NodeName, p.Unschedulable, p.Deleting, p.Created, p.Key(), p.Sibling("vm"),
		p.Label(facts.LabelVMName), p.Annotation(facts.AnnotationMigrationName), p.HasFinalizer("x/y"), p.HasFinalizer("x/z"), p.Final()}
	want := []any{"pod-1", "b", "Pending", "", true, false, time.Date(2030, 1, 1, 0, 0, 5, 0, time.UTC), "default/one", "default/vm",
		"vm", "migration", true, false, false}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("facts (-want +found):\n%s", diff)
	}
}

func TestReadVMI(t *testing.T) {
	v := facts.ReadVMI(load(t, `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: vm, namespace: default, uid: vmi-1}
spec: {domain: {devices: {}}}
status:
  phase: Running
  nodeName: node-a
  migrationState: {migrationUid: m, sourceNode: a, targetNode: b, sourcePod: s, targetPod: t, targetNodeAddress: x,
    startTimestamp: "2030-01-01T00:00:00Z", endTimestamp: "2030-01-01T00:00:01Z", targetNodeDomainReadyTimestamp: "2030-01-01T00:00:01Z",
    completed: true, failed: true, abortRequested: true}
`))
	want := &facts.MigrationState{UID: "m", SourceNode: "a", TargetNode: "b", SourcePod: "s", TargetPod: "t", TargetAddress: "x",
		Started: true, Ended: true, TargetReady: true, Completed: true, Failed: true, AbortRequested: true}
	if diff := cmp.Diff(want, v.StateOf("m")); diff != "" {
		t.Errorf("state (-want +found):\n%s", diff)
	}
	if v.StateOf("other") != nil || v.Final() || v.NodeName != "node-a" {
		t.Errorf("want a running instance on node-a with the state of m only, found %+v", v)
	}
}

// TestMigrationPhases: D.4 rows 5 and 6 depend on how far a migration is.
func TestMigrationPhases(t *testing.T) {
	for _, c := range []struct {
		phase                      string
		created, handedOver, final bool
	}{
		{"", false, false, false},
		{"Pending", false, false, false},
		{"Scheduling", true, false, false},
		{"Scheduled", true, false, false},
		{"PreparingTarget", true, true, false},
		{"TargetReady", true, true, false},
		{"Running", true, true, false},
		{"Succeeded", false, false, true},
		{"Failed", false, false, true},
	} {
		t.Run(c.phase, func(t *testing.T) {
			m := facts.Migration{Phase: c.phase}
			found := []bool{m.TargetCreated(), m.HandedOver(), m.Final()}
			if diff := cmp.Diff([]bool{c.created, c.handedOver, c.final}, found); diff != "" {
				t.Errorf("target created, handed over, final (-want +found):\n%s", diff)
			}
		})
	}
}
