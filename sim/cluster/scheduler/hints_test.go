package scheduler

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestNodeHints: kubevirt-behaviour C.5, "the NodeAffinity hint only requeues if
// a Node add/label update changes that node from non-match to match for the pod's
// own spec"; the other plugins' hints work alike.
func TestNodeHints(t *testing.T) {
	const ssd, cordoned, tainted = "metadata: {labels: {disk: ssd}}", "spec: {unschedulable: true}", "spec: {taints: [{key: gpu, effect: NoSchedule}]}"
	const small, large = "status: {allocatable: {cpu: '1'}}", "status: {allocatable: {cpu: '4'}}"
	const wantsSSD, wantsCPU = "spec: {nodeSelector: {disk: ssd}}", "spec: {containers: [{name: c, resources: {requests: {cpu: '2'}}}]}"
	const apart = "spec: {affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {}}]}}}"
	const spread = "spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]}"
	for _, c := range []struct {
		name, plugin, pod string
		before, after     string // before "-" is a node that was added
		want              bool
	}{
		{"label comes", pluginNodeAffinity, wantsSSD, "", ssd, true},
		{"label was there", pluginNodeAffinity, wantsSSD, ssd, ssd + "\nspec: {podCIDR: 10.0.0.0/24}", false},
		{"label goes", pluginNodeAffinity, wantsSSD, ssd, "", false},
		{"matching node added", pluginNodeAffinity, wantsSSD, "-", ssd, true},
		{"other node added", pluginNodeAffinity, wantsSSD, "-", "", false},
		{"uncordoned", pluginUnschedulable, "{}", cordoned, "", true},
		{"cordoned", pluginUnschedulable, "{}", "", cordoned, false},
		{"never was cordoned", pluginUnschedulable, "{}", "", ssd, false},
		{"taint goes", pluginTaints, "{}", tainted, "", true},
		{"taint stays", pluginTaints, "{}", tainted, tainted, false},
		{"tainted node added", pluginTaints, "{}", "-", tainted, false},
		{"node grows", pluginResources, wantsCPU, small, large, true},
		{"node is as large as before", pluginResources, wantsCPU, large, large, false},
		{"node grows too little", pluginResources, "spec: {containers: [{name: c, resources: {requests: {cpu: '8'}}}]}", small, large, false},
		{"large node added", pluginResources, wantsCPU, "-", large, true},
		{"small node added", pluginResources, wantsCPU, "-", small, false},
		{"topology changes", pluginPodAffinity, apart, "metadata: {labels: {zone: a}}", "metadata: {labels: {zone: b}}", true},
		{"topology stays", pluginPodAffinity, apart, "metadata: {labels: {zone: a}}", "metadata: {labels: {zone: a, disk: ssd}}", false},
		{"node enters a zone", pluginSpread, spread, "", "metadata: {labels: {zone: b}}", true},
		{"node stays in its zone", pluginSpread, spread, "metadata: {labels: {zone: a}}", "metadata: {labels: {zone: a, disk: ssd}}", false},
		{"node of a zone added", pluginSpread, spread, "-", "metadata: {labels: {zone: b}}", true},
		{"node of no zone added", pluginSpread, spread, "-", "", false},
		{"node added for affinity", pluginPodAffinity, apart, "-", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before *corev1.Node
			if c.before != "-" {
				before = node(t, "node-a", c.before)
			}
			got := nodeChanged(before, node(t, "node-a", c.after))(c.plugin, parse[corev1.Pod](t, c.pod))
			if got != c.want {
				t.Errorf("want the hint %v, found %v", c.want, got)
			}
		})
	}
}
