package cluster_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/ovn"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// twoNodes and machine are a cluster in which a virtual machine runs on node-a.
const twoNodes = `
apiVersion: v1
kind: Node
metadata: {name: node-a, labels: {kubernetes.io/hostname: node-a, kubevirt.io/schedulable: "true"}}
status: {allocatable: {cpu: "16", memory: 64Gi, pods: "110"}, addresses: [{type: InternalIP, address: 192.0.2.1}]}
---
apiVersion: v1
kind: Node
metadata: {name: node-b, labels: {kubernetes.io/hostname: node-b, kubevirt.io/schedulable: "true"}}
status: {allocatable: {cpu: "16", memory: 64Gi, pods: "110"}, addresses: [{type: InternalIP, address: 192.0.2.2}]}
`

const machine = `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: vm, namespace: default, uid: vmi-1, labels: {kubevirt.io/nodeName: node-a, app: web}}
spec: {domain: {devices: {}, resources: {requests: {memory: 1Gi}}}}
status: {phase: Running, nodeName: node-a, activePods: {pod-source: node-a}}
---
apiVersion: v1
kind: Pod
metadata:
  name: source
  namespace: default
  uid: pod-source
  labels: {kubevirt.io: virt-launcher, kubevirt.io/created-by: vmi-1, vm.kubevirt.io/name: vm}
  annotations: {kubevirt.io/domain: vm}
  ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, name: vm, uid: vmi-1, controller: true}]
spec:
  nodeName: node-a
  containers: [{name: compute, image: launcher:v1, resources: {requests: {cpu: "1", memory: 1Gi}}}]
status:
  phase: Running
  containerStatuses: [{name: compute, image: launcher:v1, imageID: "", ready: true, restartCount: 0, state: {running: {startedAt: "2029-12-31T23:00:00Z"}}}]
---
apiVersion: ovn.vmreplay/v1
kind: LogicalSwitchPort
metadata: {name: vm.default}
externalIDs: {pod: default/vm}
chassis: node-a
`

const migration = `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceMigration
metadata: {name: migration, namespace: default}
spec: {vmiName: vm}
`

const (
	theVMI       = "default/vm"
	theMigration = "default/migration"
	thePort      = "vm.default"
)

// A world is a run with all stand-ins.
type world struct {
	*stage.Stage
	cluster *cluster.Cluster
}

func newWorld(t testing.TB, settings map[string]string, schedule ...engine.Perturbation) *world {
	t.Helper()
	w := &world{Stage: stage.New(t, schedule...)}
	w.Load(twoNodes + "---" + machine)
	var err error
	w.cluster, err = cluster.New(w.Host(), cluster.Names(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// create creates an object at an instant.
func (w *world) create(at time.Duration, doc string) {
	w.At(at, "create", func() {
		if _, err := w.API.Create(stage.Content(w.T, doc)); err != nil {
			w.T.Fatal(err)
		}
	})
}

// target is the target pod of the migration; nil if there is none.
func (w *world) target() *apiserver.Object {
	for _, o := range w.API.List(facts.KindPod, "default") {
		if standin.String(o.Content(), "metadata", "annotations", facts.AnnotationMigrationName) != "" {
			return o
		}
	}
	return nil
}

func (w *world) phase() string {
	return standin.String(w.Object(facts.KindMigration, theMigration), "status", "phase")
}

// kubeOVN plays the network controller: what it should do, with retries.
type kubeOVN struct {
	w *world
	*standin.StandIn
}

func (w *world) playKubeOVN() {
	k := &kubeOVN{w: w, StandIn: standin.New(w.Host(), "kube-ovn-controller")}
	queue := k.NewQueue(standin.QueueOptions{Kind: facts.KindMigration}, k.handle)
	_, err := standin.Watch(k.StandIn, facts.KindMigration, apiserver.WatchOptions{}, facts.ReadMigration, func(ev standin.Event[facts.Migration]) {
		queue.Add(ev.Key)
	})
	if err != nil {
		w.T.Fatal(err)
	}
}

func (k *kubeOVN) handle(string) standin.Plan {
	state := standin.Map(k.w.Object(facts.KindVMI, theVMI), "status", "migrationState")
	switch k.w.phase() {
	case facts.PhaseScheduling:
		target := k.w.target()
		if target == nil || standin.String(target.Content(), "spec", "nodeName") == "" {
			return standin.Plan{Err: errors.New("target node is not known yet")}
		}
		return k.call(ovn.OpSetMigrateOptions, thePort, "node-a", standin.String(target.Content(), "spec", "nodeName"))
	case facts.PhaseSucceeded:
		return k.call(ovn.OpResetMigrateOptions, thePort, standin.String(state, "targetNode"))
	case facts.PhaseFailed:
		return k.call(ovn.OpResetMigrateOptions, thePort, "node-a")
	}
	return standin.Plan{}
}

func (k *kubeOVN) call(op string, args ...string) standin.Plan {
	_, err := k.w.cluster.Call(ovn.System, op, args)
	return standin.Plan{Err: err}
}

// port is the row as OpList answers it.
func (w *world) port() ovn.Row {
	w.T.Helper()
	answer, err := w.cluster.Call(ovn.System, ovn.OpList, []string{"pod=" + theVMI})
	if err != nil {
		w.T.Fatal(err)
	}
	var rows []ovn.Row
	if err := json.Unmarshal(answer, &rows); err != nil || len(rows) != 1 {
		w.T.Fatalf("want one row as JSON, found %s (%v)", answer, err)
	}
	return rows[0]
}
