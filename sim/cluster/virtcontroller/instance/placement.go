package instance

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller/launcher"
)

const conditionPlacement = "NodePlacementNotMatched"

// syncPlacement is the fork's NodePlacementNotMatched (kubevirt-behaviour B.6:
// 027): True if the instance's rules are no longer those that its pod was made
// with, and its node does not satisfy them. Rules about other pods are left out.
func (p *pass) syncPlacement(content map[string]any) {
	status := "False"
	if p.placementChanged() && !p.nodeMatches() {
		status = "True"
	}
	standin.UpdateCondition(content, standin.NewCondition(p.now(), conditionPlacement, status, "", ""))
}

func (p *pass) placementChanged() bool {
	pod := p.pod.Content()
	return !standin.Equal(nonNil(launcher.NodeSelector(p.vmi)), nonNil(standin.Map(pod, "spec", "nodeSelector"))) ||
		!standin.Equal(standin.Field(p.vmi.Content(), "spec", "affinity", "nodeAffinity"), standin.Field(pod, "spec", "affinity", "nodeAffinity"))
}

func nonNil(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// nodeMatches tells whether the instance's node satisfies its present rules. A
// node that is gone, or rules that do not parse, match nothing.
func (p *pass) nodeMatches() bool {
	node := p.Nodes.Get(p.vmi.NodeName)
	if node == nil {
		return false
	}
	spec := map[string]any{"nodeSelector": launcher.NodeSelector(p.vmi)}
	if affinity := standin.Map(p.vmi.Content(), "spec", "affinity"); affinity != nil {
		spec["affinity"] = affinity
	}
	var pod corev1.Pod
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"spec": spec}, &pod); err != nil {
		return false
	}
	ok, err := nodeaffinity.GetRequiredNodeAffinity(&pod).Match(node)
	return ok && err == nil
}
