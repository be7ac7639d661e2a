package scheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
)

// nodeChanged is the hint of a node that was added (before is nil) or updated: it
// helps if the node did not suit the pod before, in the eyes of the plugin, and
// does now (kubevirt-behaviour C.5: NodeAffinity's hint looks for a change from
// non-match to match for the pod's own spec).
func nodeChanged(before, after *corev1.Node) hint {
	return func(plugin string, pod *corev1.Pod) bool {
		if plugin == pluginSpread {
			return spreadChanged(before, after, pod)
		}
		suits := map[string]func(*corev1.Pod, *corev1.Node) bool{
			pluginUnschedulable: schedulable,
			pluginTaints:        tolerated,
			pluginNodeAffinity:  matchesNode,
			pluginResources:     fitsEmpty,
		}[plugin]
		if suits == nil {
			return topologyChanged(before, after, pod)
		}
		if plugin == pluginResources && before != nil && !grown(before, after, pod) {
			return false
		}
		if plugin == pluginResources {
			return suits(pod, after)
		}
		return suits(pod, after) && (before == nil || !suits(pod, before))
	}
}

// fitsEmpty tells whether a pod would fit on the node if nothing else ran there.
func fitsEmpty(pod *corev1.Pod, node *corev1.Node) bool {
	return rejectResources(&snapshot{}, pod, node) == nil
}

// grown tells whether a node has more than before of something that the pod
// requests.
func grown(before, after *corev1.Node, pod *corev1.Pod) bool {
	more := func(name corev1.ResourceName) bool {
		was, is := before.Status.Allocatable[name], after.Status.Allocatable[name]
		return is.Cmp(was) > 0
	}
	for name := range requestsOf(pod) {
		if more(name) {
			return true
		}
	}
	return more(corev1.ResourcePods)
}

// topologyChanged tells whether a node entered or changed a topology domain that
// the pod's affinity looks at.
func topologyChanged(before, after *corev1.Node, pod *corev1.Pod) bool {
	terms := append(slices.Clone(affinityTerms(pod)), antiAffinityTerms(pod)...)
	if before == nil {
		return true
	}
	return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool {
		return before.Labels[t.TopologyKey] != after.Labels[t.TopologyKey]
	})
}

// podAdded is the hint of a pod that came to a node: affinity may be satisfied,
// and the emptiest domain may be less empty.
func podAdded(added *facts.Pod) hint {
	return func(plugin string, pod *corev1.Pod) bool {
		switch plugin {
		case pluginSpread:
			return spreadsAny(pod, typed(added))
		case pluginPodAffinity:
			return matchesAny(affinityTerms(pod), pod, typed(added))
		}
		return false
	}
}

// podRemoved is the hint of a pod that left a node: its resources are free, and
// what kept the pod away from it, or it from the pod, is gone.
func podRemoved(removed *facts.Pod) hint {
	return func(plugin string, pod *corev1.Pod) bool {
		switch plugin {
		case pluginResources:
			return true
		case pluginSpread:
			return spreadsAny(pod, typed(removed))
		case pluginPodAffinity:
			gone := typed(removed)
			return matchesAny(antiAffinityTerms(pod), pod, gone) || matchesAny(antiAffinityTerms(gone), gone, pod)
		}
		return false
	}
}

func matchesAny(terms []corev1.PodAffinityTerm, owner, other *corev1.Pod) bool {
	return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool { return matchesTerm(t, owner, other) })
}

// ownUpdate is the hint of a change of the waiting pod itself. Only tolerations
// and labels of a pod that exists can change so that it matters
// (kubevirt-behaviour B.3).
func ownUpdate(before, after *facts.Pod) hint {
	return func(plugin string, pod *corev1.Pod) bool {
		old, now := typed(before), typed(after)
		switch plugin {
		case pluginTaints, pluginUnschedulable:
			return !equality.Semantic.DeepEqual(old.Spec.Tolerations, now.Spec.Tolerations)
		case pluginPodAffinity:
			return !equality.Semantic.DeepEqual(old.Labels, now.Labels)
		}
		return false
	}
}
