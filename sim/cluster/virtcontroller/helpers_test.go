package virtcontroller_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller"
)

// vmi is an instance on node-a, with its status' migrationState as YAML.
func vmi(name, phase, state string) string {
	return fmt.Sprintf(`
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: %[1]s, namespace: default, uid: vmi-%[1]s, labels: {kubevirt.io/nodeName: node-a}}
spec: {domain: {devices: {}}}
status: {phase: %[2]s, nodeName: node-a, activePods: {source-%[1]s: node-a}%[3]s}
`, name, phase, state)
}

// source is the pod that an instance runs in.
func source(name string) string { return pod("source-"+name, name, "Running", "node-a", "") }

// target is the target pod of an instance's migration.
func target(name, phase, meta string) string {
	return pod("target-"+name, name, phase, "node-b", fmt.Sprintf(", annotations: {kubevirt.io/migrationJobName: %s}%s", name, meta))
}

func pod(podName, name, phase, node, meta string) string {
	job := ""
	if podName[0] == 't' {
		job = ", kubevirt.io/migrationJobUID: mig-" + name
	}
	return fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata:
  {name: %[1]s, namespace: default, uid: %[1]s, creationTimestamp: "2030-01-01T00:00:00Z",
   labels: {kubevirt.io: virt-launcher, kubevirt.io/created-by: vmi-%[2]s, vm.kubevirt.io/name: %[2]s%[6]s}%[5]s,
   ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, name: %[2]s, uid: vmi-%[2]s, controller: true}]}
spec: {nodeName: %[4]s, containers: [{name: compute, image: launcher}]}
status: {phase: %[3]s, containerStatuses: [{name: compute, image: launcher, imageID: "", ready: true, restartCount: 0, state: {running: {}}}]}
`, podName, name, phase, node, meta, job)
}

// mig is a migration of the instance of the same name, admitted already.
func mig(name, phase, meta string) string {
	return fmt.Sprintf(`
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceMigration
metadata: {name: %[1]s, namespace: default, uid: mig-%[1]s, creationTimestamp: "2030-01-01T00:00:00Z", finalizers: [kubevirt.io/migrationJobFinalize],
  labels: {kubevirt.io/vmi-name: %[1]s}, annotations: {kubevirt.io/latest-observed-api-version: v1%[3]s}}
spec: {vmiName: %[1]s}
status: {phase: "%[2]s"}
`, name, phase, meta)
}

func start(t *testing.T, documents ...string) *stage.Stage {
	t.Helper()
	s := stage.New(t)
	for _, doc := range documents {
		s.Load(doc)
	}
	_, err := virtcontroller.New(s.Host(), virtcontroller.Options{
		Latency: virtcontroller.DefaultLatency, PerCluster: virtcontroller.DefaultPerCluster, PerNode: virtcontroller.DefaultPerNode,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func phaseOf(s *stage.Stage, name string) string {
	return standin.String(s.Object(facts.KindMigration, "default/"+name), "status", "phase")
}

// onePass is long enough for one reconcile and its writes, and too short for two.
const onePass = 15 * time.Millisecond
