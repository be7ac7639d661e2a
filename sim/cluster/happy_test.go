package cluster_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/ovn"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

var happyStories = []*story{
	{name: "succeeds", check: checkSucceeded,
		// The gaps of 13 ms are those that kubevirt-behaviour E measured between
		// Pending (17 ms), pod ADD (30) and Scheduling (44); one more such gap comes
		// before, for the first reconcile's own write (0.4).
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.589s PreparingTarget",
			"4.094s TargetReady", "4.107s Running", "14.1s Succeeded"}},
	{name: "pod ready without its port (K3)", settings: map[string]string{"network.gatesReadiness": "false"}, noNetwork: true,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.063s Scheduled", "3.089s PreparingTarget",
			"3.594s TargetReady", "3.607s Running", "13.6s Succeeded"}},
	{name: "slow parts", settings: map[string]string{
		"scheduler.latency": "100ms", "kubelet.startLatency": "15s", "virt-controller.latency": "20ms",
		"virt-handler.prepare": "2s", "virt-handler.transfer": "2m"}, until: 4 * time.Minute,
		phases: []string{"1.046s Pending", "1.092s Scheduling", "16.698s Scheduled", "16.744s PreparingTarget",
			"18.749s TargetReady", "18.772s Running", "2m18.755s Succeeded"}},
	{name: "data phase longer than 150 s a GiB (D.6)", settings: map[string]string{"virt-handler.transfer": "151s"}, until: 4 * time.Minute,
		phases: []string{"1.026s Pending", "1.052s Scheduling", "3.563s Scheduled", "3.589s PreparingTarget",
			"4.094s TargetReady", "4.107s Running", "2m34.499s Failed"},
		check: func(t *testing.T, w *world) {
			w.want(t, facts.KindVMI, theVMI, "Live migration is not completed after 2m30s and has been aborted", "status", "migrationState", "failureReason")
			w.want(t, facts.KindVMI, theVMI, "node-a", "status", "nodeName")
		}},
	{name: "admitted by the webhooks already (D.1)", given: map[string]any{
		"labels":      map[string]any{facts.LabelVMIName: "vm"},
		"finalizers":  []any{facts.FinalizerMigration},
		"annotations": map[string]any{facts.AnnotationObservedVersion: "v1"},
	}, phases: []string{"1.013s Pending", "1.039s Scheduling", "3.55s Scheduled", "3.576s PreparingTarget",
		"4.081s TargetReady", "4.094s Running", "14.087s Succeeded"}},
}

func checkSucceeded(t *testing.T, w *world) {
	w.want(t, facts.KindVMI, theVMI, "node-b", "status", "nodeName")
	w.want(t, facts.KindVMI, theVMI, map[string]any{facts.LabelNodeName: "node-b", "app": "web"}, "metadata", "labels")
	w.want(t, facts.KindPod, "default/source", "Succeeded", "status", "phase")
	w.want(t, facts.KindMigration, theMigration, nil, "metadata", "finalizers")
	// D.3: the full state is copied in the reconcile after the phase became final.
	state := standin.Field(w.Object(facts.KindVMI, theVMI), "status", "migrationState")
	w.want(t, facts.KindMigration, theMigration, state, "status", "migrationState")
	row := ovn.Row{Name: thePort, ExternalIDs: map[string]string{"pod": theVMI},
		Options: map[string]string{"requested-chassis": "node-b"}, Chassis: "node-b"}
	if diff := cmp.Diff(row, w.port()); diff != "" {
		t.Errorf("port (-want +found):\n%s", diff)
	}
}

// TestOrderOfTheEnd: kubevirt-behaviour D.8, "nodeName flips before completed;
// VMIM Succeeded comes after".
func TestOrderOfTheEnd(t *testing.T) {
	w := newWorld(t, nil)
	w.playKubeOVN()
	w.createMigration(time.Second, "migration", nil)
	var order []string
	note := func(what string, is func() bool) {
		w.when(is, func() { order = append(order, w.Engine.Elapsed().String()+" "+what) })
	}
	state := func(field string) func() bool {
		return func() bool {
			return standin.Field(w.Object(facts.KindVMI, theVMI), "status", "migrationState", field) != nil
		}
	}
	note("target address", state("targetNodeAddress"))
	note("start", state("startTimestamp"))
	note("domain ready", state("targetNodeDomainReadyTimestamp"))
	note("node name", func() bool {
		return standin.String(w.Object(facts.KindVMI, theVMI), "status", "nodeName") == "node-b"
	})
	note("completed", state("completed"))
	note("Succeeded", func() bool { return w.phase() == facts.PhaseSucceeded })
	note("source pod Succeeded", func() bool {
		return standin.String(w.Object(facts.KindPod, "default/source"), "status", "phase") == facts.PhaseSucceeded
	})
	w.Engine.Advance(time.Minute)
	want := []string{"4.081s target address", "4.085s start", "14.086s domain ready", "14.09s node name",
		"14.094s completed", "14.1s Succeeded", "15.001s source pod Succeeded"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order (-want +found):\n%s", diff)
	}
}

// TestWhatControllersSeeInScheduling: the facts that a network controller depends
// on (D.3 a-d).
func TestWhatControllersSeeInScheduling(t *testing.T) {
	w := newWorld(t, nil)
	w.createMigration(time.Second, "migration", nil)
	checked := false
	w.when(func() bool { return w.phase() == facts.PhaseScheduling }, func() {
		checked = true
		// (a), (b): the state is there and holds the source pod only.
		w.want(t, facts.KindMigration, theMigration, map[string]any{"sourcePod": "source"}, "status", "migrationState")
		// (c): the instance knows nothing of this migration yet.
		w.want(t, facts.KindVMI, theVMI, nil, "status", "migrationState")
		// (d), and E "pod bind ~43 ms, Scheduling ~44 ms": the pod is bound before.
		if got := standin.String(w.target().Content(), "spec", "nodeName"); got != "node-b" {
			t.Errorf("want the target pod bound to node-b, found %q", got)
		}
	})
	w.Engine.Advance(2 * time.Second)
	if !checked {
		t.Error("want the migration in Scheduling, it never was")
	}
}

// TestTargetPod: kubevirt-behaviour C.3 and D.3 say what the target pod is.
func TestTargetPod(t *testing.T) {
	w := newWorld(t, nil)
	w.Patch(facts.KindVMI, theVMI, "", `
spec:
  nodeSelector: {zone: one}
  tolerations: [{key: dedicated, operator: Exists}]
  terminationGracePeriodSeconds: 60
  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: Exists}]}]}}}
  domain: {cpu: {model: Skylake, cores: 2, sockets: 2}}
`)
	w.At(time.Second, "create", func() {
		_, err := w.API.Create(map[string]any{
			"apiVersion": "kubevirt.io/v1", "kind": facts.KindMigration,
			"metadata": map[string]any{"name": "migration", "namespace": "default"},
			"spec":     map[string]any{"vmiName": "vm", "addedNodeSelector": map[string]any{"zone": "two", "rack": "r1"}},
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	w.Engine.Advance(1045 * time.Millisecond)
	pod := w.target()
	if pod == nil {
		t.Fatal("want a target pod, found none")
	}
	uid := standin.String(w.Object(facts.KindMigration, theMigration), "metadata", "uid")
	for _, c := range []struct {
		name string
		want any
		path []string
	}{
		{"labels", map[string]any{"kubevirt.io": "virt-launcher", "kubevirt.io/created-by": "vmi-1", "vm.kubevirt.io/name": "vm",
			"kubevirt.io/migrationJobUID": uid, "app": "web"}, []string{"metadata", "labels"}},
		{"annotations", map[string]any{"kubevirt.io/domain": "vm", "kubevirt.io/migrationJobName": "migration",
			"kubevirt.io/migrationTransportUnix": "true"}, []string{"metadata", "annotations"}},
		{"node selector: the instance's wins", map[string]any{"kubevirt.io/schedulable": "true", "zone": "one", "rack": "r1",
			"cpu-model.node.kubevirt.io/Skylake": "true"}, []string{"spec", "nodeSelector"}},
		{"restart policy", "Never", []string{"spec", "restartPolicy"}},
		{"grace", int64(90), []string{"spec", "terminationGracePeriodSeconds"}},
		{"readiness gate", []any{map[string]any{"conditionType": "kubevirt.io/virtual-machine-unpaused"}}, []string{"spec", "readinessGates"}},
		{"anti-affinity", []any{map[string]any{"topologyKey": "kubernetes.io/hostname",
			"labelSelector": map[string]any{"matchLabels": map[string]any{"kubevirt.io/created-by": "vmi-1"}}}},
			[]string{"spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"}},
	} {
		if diff := cmp.Diff(c.want, standin.Field(pod.Content(), c.path...)); diff != "" {
			t.Errorf("%s (-want +found):\n%s", c.name, diff)
		}
	}
	compute := standin.Items(pod.Content(), "spec", "containers")[0]
	if diff := cmp.Diff(map[string]any{"cpu": "400m", "memory": "1Gi"}, standin.Field(compute, "resources", "requests")); diff != "" {
		t.Errorf("requests (-want +found):\n%s", diff)
	}
	if standin.String(compute, "image") != "launcher:v1" {
		t.Errorf("want the source's image launcher:v1, found %q", compute["image"])
	}
}

// TestSecondMigration moves the machine back: the old state must not confuse the
// new migration, and the completed source pod must not count as active (#12773).
func TestSecondMigration(t *testing.T) {
	w := newWorld(t, nil)
	w.playKubeOVN()
	w.createMigration(time.Second, "migration", nil)
	w.Engine.Advance(time.Minute)
	phases := w.Watch(facts.KindMigration, "default/back", "status", "phase")
	w.createMigration(time.Minute, "back", nil)
	w.Engine.Advance(61 * time.Second)
	// The port belongs to node-b alone, so node-a's CNI ADD would wait; the test
	// plays the set-up by hand.
	if _, err := w.cluster.Call(ovn.System, ovn.OpSetMigrateOptions, []string{thePort, "node-b", "node-a"}); err != nil {
		t.Fatal(err)
	}
	w.Engine.Advance(2 * time.Minute)
	if last := (*phases)[len(*phases)-1]; last[len(last)-len("Succeeded"):] != "Succeeded" {
		t.Errorf("want Succeeded in the end, found %v", *phases)
	}
	w.want(t, facts.KindVMI, theVMI, "node-a", "status", "nodeName")
}

// TestScheduleReachesStandIns: decisions of stand-ins can be delayed like any
// other. Here the binding comes after Scheduling, so a network controller finds
// the target pod without a node (kubevirt-behaviour K2).
func TestScheduleReachesStandIns(t *testing.T) {
	w := newWorld(t, nil)
	w.createMigration(time.Second, "migration", nil)
	w.Engine.Advance(2 * time.Second)
	pod := w.target().Ref().Key()

	late := engine.Perturbation{Point: "kube-scheduler: create Pod " + pod + " binding #1", Delay: 2 * time.Second}
	w = newWorld(t, nil, late)
	w.playKubeOVN()
	phases := w.Watch(facts.KindMigration, theMigration, "status", "phase")
	nodes := w.Watch(facts.KindPod, pod, "spec", "nodeName")
	w.createMigration(time.Second, "migration", nil)
	w.Engine.Advance(time.Minute)
	if unapplied := w.Engine.Unapplied(); len(unapplied) > 0 {
		t.Fatalf("want the delay applied, found %v", unapplied)
	}
	if diff := cmp.Diff([]string{"3.047s node-b"}, *nodes); diff != "" {
		t.Errorf("nodes (-want +found):\n%s", diff)
	}
	want := []string{"1.026s Pending", "1.052s Scheduling", "6.063s Scheduled", "6.089s PreparingTarget",
		"6.594s TargetReady", "6.607s Running", "16.6s Succeeded"}
	if diff := cmp.Diff(want, *phases); diff != "" {
		t.Errorf("phases (-want +found):\n%s", diff)
	}
}
