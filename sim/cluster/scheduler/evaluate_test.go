package scheduler

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
)

// parse reads a typed object from YAML.
func parse[T any](t *testing.T, doc string) *T {
	t.Helper()
	var out T
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(stage.Content(t, doc), &out); err != nil {
		t.Fatal(err)
	}
	return &out
}

// node is a node of that name; rest is merged as YAML lines.
func node(t *testing.T, name, rest string) *corev1.Node {
	n := parse[corev1.Node](t, rest+"\n")
	n.Name = name
	if n.Labels == nil {
		n.Labels = map[string]string{}
	}
	n.Labels[corev1.LabelHostname] = name
	return n
}

const tail = " preemption: "

func TestEvaluate(t *testing.T) {
	const anti = "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {vm: one}}}]}}"
	const near = "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {matchLabels: {vm: one}}}]}}"
	const spread = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {vm: one}}}]"
	vmPod := "metadata: {name: other, namespace: default, labels: {vm: one}}\nspec: {nodeName: node-a}"
	for _, c := range []struct {
		name        string
		nodes       map[string]string // YAML of node-a, node-b, ...
		pods        []string          // on node-a
		pod         string
		wantNode    string
		wantMessage string
		wantPlugins []string
	}{
		{name: "the first by name", nodes: map[string]string{"node-a": "", "node-b": ""}, pod: "{}", wantNode: "node-a"},
		{name: "no nodes", pod: "{}", wantMessage: "no nodes available to schedule pods", wantPlugins: []string{"NodeUnschedulable"}},
		{name: "node selector and cordon",
			nodes: map[string]string{"node-a": "", "node-b": "metadata: {labels: {disk: ssd}}\nspec: {unschedulable: true}"},
			pod:   "spec: {nodeSelector: {disk: ssd}}",
			wantMessage: "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable." + tail +
				"0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
			wantPlugins: []string{"NodeAffinity", "NodeUnschedulable"}},
		{name: "cordon tolerated", nodes: map[string]string{"node-a": "spec: {unschedulable: true}"},
			pod: "spec: {tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}]}", wantNode: "node-a"},
		{name: "taint", nodes: map[string]string{"node-a": "spec: {taints: [{key: gpu, value: x, effect: NoSchedule}]}"}, pod: "{}",
			wantMessage: "0/1 nodes are available: 1 node(s) had untolerated taint(s)." + tail + "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
			wantPlugins: []string{"TaintToleration"}},
		{name: "taint tolerated", nodes: map[string]string{"node-a": "spec: {taints: [{key: gpu, value: x, effect: NoExecute}]}"},
			pod: "spec: {tolerations: [{key: gpu, operator: Equal, value: x}]}", wantNode: "node-a"},
		{name: "preferred taint does not matter", nodes: map[string]string{"node-a": "spec: {taints: [{key: gpu, effect: PreferNoSchedule}]}"}, pod: "{}", wantNode: "node-a"},
		{name: "node affinity", nodes: map[string]string{"node-a": "", "node-b": "metadata: {labels: {disk: ssd}}"},
			pod:      "spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: In, values: [ssd]}]}]}}}}",
			wantNode: "node-b"},
		{name: "room taken by others", nodes: map[string]string{"node-a": "status: {allocatable: {cpu: '2', memory: 4Gi}}"},
			pods: []string{"spec: {containers: [{name: c, resources: {requests: {cpu: 1500m, memory: 1Gi}}}]}"},
			pod:  "spec: {containers: [{name: c, resources: {requests: {cpu: '1', memory: 3Gi}}}]}",
			wantMessage: "0/1 nodes are available: 1 Insufficient cpu." + tail +
				"0/1 nodes are available: 1 No preemption victims found for incoming pod.",
			wantPlugins: []string{"NodeResourcesFit"}},
		{name: "larger than any node, and pods full", nodes: map[string]string{"node-a": "status: {allocatable: {cpu: '2', memory: 4Gi, pods: '1'}}"},
			pods: []string{"spec: {}"},
			pod:  "spec: {containers: [{name: c, resources: {requests: {cpu: '3', memory: 5Gi}}}]}",
			wantMessage: "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 Too many pods." + tail +
				"0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
			wantPlugins: []string{"NodeResourcesFit"}},
		{name: "an extended resource that no node has", nodes: map[string]string{"node-a": "status: {allocatable: {cpu: '2'}}"},
			pod:         "spec: {containers: [{name: c, resources: {requests: {devices.kubevirt.io/kvm: '1', memory: 3Gi}}}]}",
			wantMessage: "0/1 nodes are available: 1 Insufficient devices.kubevirt.io/kvm." + tail + "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
			wantPlugins: []string{"NodeResourcesFit"}},
		{name: "a node without capacity sets no limit", nodes: map[string]string{"node-a": ""},
			pod: "spec: {containers: [{name: c, resources: {requests: {cpu: '100'}}}]}", wantNode: "node-a"},
		{name: "anti-affinity", nodes: map[string]string{"node-a": "", "node-b": ""}, pods: []string{vmPod},
			pod: "metadata: {namespace: default}\nspec: {" + anti + "}", wantNode: "node-b"},
		{name: "anti-affinity of another namespace", nodes: map[string]string{"node-a": ""}, pods: []string{vmPod},
			pod: "metadata: {namespace: other}\nspec: {" + anti + "}", wantNode: "node-a"},
		{name: "anti-affinity everywhere", nodes: map[string]string{"node-a": ""}, pods: []string{vmPod},
			pod: "metadata: {namespace: default}\nspec: {" + anti + "}",
			wantMessage: "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules." + tail +
				"0/1 nodes are available: 1 No preemption victims found for incoming pod.",
			wantPlugins: []string{"InterPodAffinity"}},
		{name: "anti-affinity of a pod that runs", nodes: map[string]string{"node-a": ""},
			pods: []string{"metadata: {name: other, namespace: default}\nspec: {nodeName: node-a, " + anti + "}"},
			pod:  "metadata: {namespace: default, labels: {vm: one}}",
			wantMessage: "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules." + tail +
				"0/1 nodes are available: 1 No preemption victims found for incoming pod.",
			wantPlugins: []string{"InterPodAffinity"}},
		{name: "affinity within a zone", nodes: map[string]string{"node-a": "metadata: {labels: {zone: z1}}", "node-b": "metadata: {labels: {zone: z1}}\nspec: {unschedulable: true}",
			"node-c": "metadata: {labels: {zone: z2}}"}, pods: []string{vmPod},
			pod: "metadata: {namespace: default}\nspec: {nodeSelector: {kubernetes.io/hostname: node-c}, " + near + "}",
			wantMessage: "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't match pod affinity rules, 1 node(s) were unschedulable." + tail +
				"0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
			wantPlugins: []string{"InterPodAffinity", "NodeAffinity", "NodeUnschedulable"}},
		{name: "spread: no node has the key", nodes: map[string]string{"node-a": "", "node-b": ""}, pod: "metadata: {namespace: default}\nspec: {" + spread + "}",
			wantMessage: "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints (missing required label)." + tail +
				"0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
			wantPlugins: []string{"PodTopologySpread"}},
		{name: "spread: the emptier zone", nodes: map[string]string{"node-a": "metadata: {labels: {zone: z1}}", "node-b": "metadata: {labels: {zone: z2}}"},
			pods: []string{vmPod}, pod: "metadata: {namespace: default, labels: {vm: one}}\nspec: {" + spread + "}", wantNode: "node-b"},
		{name: "spread: the emptier zone is out of reach, and cordoned nodes count", nodes: map[string]string{"node-a": "metadata: {labels: {zone: z1}}",
			"node-b": "metadata: {labels: {zone: z2}}\nspec: {unschedulable: true}"},
			pods: []string{vmPod}, pod: "metadata: {namespace: default, labels: {vm: one}}\nspec: {" + spread + "}",
			wantMessage: "0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) were unschedulable." + tail +
				"0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
			wantPlugins: []string{"NodeUnschedulable", "PodTopologySpread"}},
		{name: "spread: a zone that the node selector excludes does not count", nodes: map[string]string{"node-a": "metadata: {labels: {zone: z1}}",
			"node-b": "metadata: {labels: {zone: z2}}"},
			pods: []string{vmPod}, pod: "metadata: {namespace: default, labels: {vm: one}}\nspec: {nodeSelector: {zone: z1}, " + spread + "}", wantNode: "node-a"},
		{name: "spread that need not hold", nodes: map[string]string{"node-a": ""}, pod: "spec: {" + strings.Replace(spread, "DoNotSchedule", "ScheduleAnyway", 1) + "}", wantNode: "node-a"},
		{name: "the first of a group that seeks its own kind", nodes: map[string]string{"node-a": "metadata: {labels: {zone: z1}}"},
			pod: "metadata: {namespace: default, labels: {vm: one}}\nspec: {" + near + "}", wantNode: "node-a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			snap := &snapshot{pods: map[string][]*corev1.Pod{}}
			for _, name := range []string{"node-a", "node-b", "node-c"} {
				if rest, ok := c.nodes[name]; ok {
					snap.nodes = append(snap.nodes, node(t, name, rest))
				}
			}
			for _, p := range c.pods {
				snap.pods["node-a"] = append(snap.pods["node-a"], parse[corev1.Pod](t, p))
			}
			v := evaluate(snap, parse[corev1.Pod](t, c.pod))
			if v.node != c.wantNode {
				t.Errorf("want node %q, found %q", c.wantNode, v.node)
			}
			if c.wantNode != "" {
				return
			}
			if diff := cmp.Diff(c.wantMessage, v.message()); diff != "" {
				t.Errorf("message (-want +found):\n%s", diff)
			}
			if diff := cmp.Diff(c.wantPlugins, v.plugins); diff != "" {
				t.Errorf("plugins (-want +found):\n%s", diff)
			}
		})
	}
}
