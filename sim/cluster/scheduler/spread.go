package scheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Reasons, as kube-scheduler words them.
const (
	reasonSpread      = "node(s) didn't match pod topology spread constraints"
	reasonSpreadLabel = "node(s) didn't match pod topology spread constraints (missing required label)"
)

// rejectSpread checks the topology spread constraints that must hold. A node that
// is not in any domain of a constraint never suits.
func rejectSpread(s *snapshot, pod *corev1.Pod, node *corev1.Node) *rejection {
	constraints := spreadConstraints(pod)
	for _, c := range constraints {
		if _, ok := node.Labels[c.TopologyKey]; !ok {
			return lasting(reasonSpreadLabel)
		}
		if s.skew(pod, node, c, constraints) > int(c.MaxSkew) {
			return &rejection{reasons: []string{reasonSpread}}
		}
	}
	return nil
}

func spreadConstraints(pod *corev1.Pod) []corev1.TopologySpreadConstraint {
	return slices.DeleteFunc(slices.Clone(pod.Spec.TopologySpreadConstraints), func(c corev1.TopologySpreadConstraint) bool {
		return c.WhenUnsatisfiable != corev1.DoNotSchedule
	})
}

// skew is how many more pods than the emptiest domain the node's would have with
// the pod. Domains are made of the nodes that the pod's node affinity allows and
// that have the keys of all constraints.
func (s *snapshot) skew(pod *corev1.Pod, node *corev1.Node, c corev1.TopologySpreadConstraint, all []corev1.TopologySpreadConstraint) int {
	counts := map[string]int{}
	for _, at := range s.nodes {
		if !matchesNode(pod, at) || !inDomains(at, all) {
			continue
		}
		counts[at.Labels[c.TopologyKey]] += s.spreadPods(at, pod, c)
	}
	least, domains := -1, 0
	for _, n := range counts {
		domains++
		if least < 0 || n < least {
			least = n
		}
	}
	if least < 0 || c.MinDomains != nil && domains < int(*c.MinDomains) {
		least = 0
	}
	self := 0
	if spreads(c, pod, pod) {
		self = 1
	}
	return counts[node.Labels[c.TopologyKey]] + self - least
}

func inDomains(node *corev1.Node, all []corev1.TopologySpreadConstraint) bool {
	return !slices.ContainsFunc(all, func(c corev1.TopologySpreadConstraint) bool {
		_, ok := node.Labels[c.TopologyKey]
		return !ok
	})
}

// spreadPods counts the pods of a node that a constraint is about; those that are
// being deleted do not count.
func (s *snapshot) spreadPods(node *corev1.Node, pod *corev1.Pod, c corev1.TopologySpreadConstraint) int {
	n := 0
	for _, other := range s.pods[node.Name] {
		if other.DeletionTimestamp == nil && spreads(c, pod, other) {
			n++
		}
	}
	return n
}

// spreads tells whether a constraint of owner is about another pod.
func spreads(c corev1.TopologySpreadConstraint, owner, other *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(c.LabelSelector)
	return err == nil && owner.Namespace == other.Namespace && selector.Matches(labels.Set(other.Labels))
}

// spreadsAny tells whether any constraint of owner is about another pod.
func spreadsAny(owner, other *corev1.Pod) bool {
	return slices.ContainsFunc(spreadConstraints(owner), func(c corev1.TopologySpreadConstraint) bool { return spreads(c, owner, other) })
}

// spreadChanged is the hint of a node: one that enters, leaves or changes a domain
// of the pod's constraints.
func spreadChanged(before, after *corev1.Node, pod *corev1.Pod) bool {
	all := spreadConstraints(pod)
	if before == nil {
		return inDomains(after, all)
	}
	return slices.ContainsFunc(all, func(c corev1.TopologySpreadConstraint) bool {
		return before.Labels[c.TopologyKey] != after.Labels[c.TopologyKey]
	})
}
