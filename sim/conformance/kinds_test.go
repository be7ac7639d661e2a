package conformance

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A sample is one kind as the cases over kinds use it.
type sample struct {
	kind string // "Pod"
	yaml string // with NAME for the name
	// change is a merge patch of what the user wants; status one of the status.
	change, status string
	// selector is a field selector that matches the sample, beside its name.
	selector string
	// badName is a name that the kind refuses.
	badName string
}

var samples = []sample{
	{kind: "ConfigMap", badName: "Upper", change: `{"data":{"a":"2"}}`, yaml: `
apiVersion: v1
kind: ConfigMap
metadata: {name: NAME, labels: {app: x}}
data: {a: "1"}`},
	{kind: "Secret", badName: "a_b", change: `{"stringData":{"b":"text"}}`, selector: "type=Opaque", yaml: `
apiVersion: v1
kind: Secret
metadata: {name: NAME, labels: {app: x}}
data: {a: MQ==}`},
	{kind: "ServiceAccount", badName: "-a", change: `{"automountServiceAccountToken":false}`, yaml: `
apiVersion: v1
kind: ServiceAccount
metadata: {name: NAME, labels: {app: x}}`},
	{kind: "Service", badName: "1a", change: `{"spec":{"publishNotReadyAddresses":true}}`, status: `{"status":{"conditions":[{"type":"example.com/Ready","status":"True","reason":"R","message":"","lastTransitionTime":"2024-01-01T00:00:00Z"}]}}`, yaml: `
apiVersion: v1
kind: Service
metadata: {name: NAME, labels: {app: x}}
spec: {clusterIP: None, selector: {app: x}}`},
	{kind: "PersistentVolumeClaim", badName: "a..b", change: `{"metadata":{"annotations":{"a":"1"}}}`, status: `{"status":{"phase":"Bound"}}`, yaml: `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: NAME, labels: {app: x}}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}`},
	{kind: "ResourceQuota", badName: "a/b", change: `{"spec":{"hard":{"pods":"3"}}}`, status: `{"status":{"hard":{"pods":"2"}}}`, yaml: `
apiVersion: v1
kind: ResourceQuota
metadata: {name: NAME, labels: {app: x}}
spec: {hard: {pods: "20"}}`},
	{kind: "Pod", badName: "Pod", change: `{"spec":{"activeDeadlineSeconds":60}}`, status: `{"status":{"phase":"Running","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}]}}`, selector: "status.phase=Pending", yaml: `
apiVersion: v1
kind: Pod
metadata: {name: NAME, labels: {app: x}}
spec: {containers: [{name: c, image: example.com/c:1}]}`},
	{kind: "Event", badName: "a%b", change: `{"count":2}`, selector: "reason=Tested", yaml: `
apiVersion: v1
kind: Event
metadata: {name: NAME, labels: {app: x}}
involvedObject: {kind: Pod, namespace: NS, name: p, apiVersion: v1}
reason: Tested
message: text
type: Normal
source: {component: tester}
firstTimestamp: "2024-01-01T00:00:00Z"
lastTimestamp: "2024-01-01T00:00:00Z"
count: 1`},
	{kind: "ControllerRevision", badName: "a b", change: `{"revision":2}`, yaml: `
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: NAME, labels: {app: x}}
data: {spec: {a: 1}}
revision: 1`},
	{kind: "Lease", badName: "a:b", change: `{"spec":{"holderIdentity":"b"}}`, yaml: `
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: NAME, labels: {app: x}}
spec: {holderIdentity: a, leaseDurationSeconds: 15, renewTime: "2024-01-01T00:00:00.000001Z"}`},
	{kind: "PodDisruptionBudget", badName: "a%b", change: `{"spec":{"minAvailable":2}}`, status: `{"status":{"disruptionsAllowed":1,"currentHealthy":1,"desiredHealthy":0,"expectedPods":1}}`, yaml: `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: NAME, labels: {app: x}}
spec: {minAvailable: 1, selector: {matchLabels: {app: x}}}`},
	{kind: "Namespace", badName: "a.b", change: `{"metadata":{"annotations":{"a":"1"}}}`, status: `{"status":{"conditions":[{"type":"example.com/Ready","status":"True","reason":"R","message":"m"}]}}`, selector: "status.phase=Active", yaml: `
apiVersion: v1
kind: Namespace
metadata: {name: NAME, labels: {app: x, of: NS}}`},
	{kind: "Node", badName: "Node", change: `{"spec":{"unschedulable":true}}`, status: `{"status":{"capacity":{"cpu":"4"},"allocatable":{"cpu":"4"},"conditions":[{"type":"Ready","status":"True"}]}}`, selector: "spec.unschedulable=false", yaml: `
apiVersion: v1
kind: Node
metadata: {name: NAME, labels: {app: x, of: NS}}
spec: {taints: [{key: a, effect: NoSchedule}]}`},
	{kind: "VirtualMachine", badName: "Vm", change: `{"spec":{"runStrategy":"Halted"}}`, status: `{"status":{"ready":true,"created":true}}`, yaml: `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: NAME, labels: {app: x}}
spec:
  runStrategy: Always
  template: {metadata: {labels: {app: x}}, spec: {domain: {devices: {}}}}`},
	{kind: "VirtualMachineInstance", badName: "a_b", change: `{"spec":{"hostname":"h"}}`, status: `{"status":{"phase":"Running","nodeName":"a"}}`, yaml: `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: NAME, labels: {app: x}}
spec: {domain: {devices: {}}}`},
	{kind: "VirtualMachineInstanceMigration", badName: "a,b", change: `{"spec":{"priority":"user-triggered"}}`, status: `{"status":{"phase":"Scheduling"}}`, yaml: `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceMigration
metadata: {name: NAME, labels: {app: x}}
spec: {vmiName: vm}`},
}

// object makes a sample of a name.
func (s sample) object(t *trial, name string) *unstructured.Unstructured {
	t.tb.Helper()
	if !s.namespaced() {
		name = t.named(name)
	}
	return t.object("%s", strings.ReplaceAll(s.yaml, "NAME", name))
}

func (s sample) namespaced() bool { return s.kind != "Namespace" && s.kind != "Node" }

func (s sample) create(t *trial, name string) *unstructured.Unstructured {
	t.tb.Helper()
	o := s.object(t, name)
	return need(t.resourceOf(o).Create(t.ctx, o, createOptions))(t)
}

// perKind makes one case of every kind.
func perKind(what string, run func(*trial, sample)) []testCase {
	var cases []testCase
	for _, s := range samples {
		cases = append(cases, testCase{name: fmt.Sprintf("%s/%s", s.kind, what), run: func(t *trial) { run(t, s) }})
	}
	return cases
}
