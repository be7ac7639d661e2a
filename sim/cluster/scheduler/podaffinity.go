package scheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Reasons, as kube-scheduler words them.
const (
	reasonPodAffinity      = "node(s) didn't match pod affinity rules"
	reasonPodAntiAffinity  = "node(s) didn't match pod anti-affinity rules"
	reasonExistingAffinity = "node(s) didn't satisfy existing pods anti-affinity rules"
)

// rejectPodAffinity checks the required terms of the pod, and those of the pods
// that run already.
func rejectPodAffinity(s *snapshot, pod *corev1.Pod, node *corev1.Node) *rejection {
	for _, term := range affinityTerms(pod) {
		if !s.attracted(pod, node, term) {
			return lasting(reasonPodAffinity)
		}
	}
	for _, term := range antiAffinityTerms(pod) {
		if s.inTopology(node, term.TopologyKey, func(other *corev1.Pod) bool { return matchesTerm(term, pod, other) }) {
			return &rejection{reasons: []string{reasonPodAntiAffinity}}
		}
	}
	if s.repelledByExisting(pod, node) {
		return &rejection{reasons: []string{reasonExistingAffinity}}
	}
	return nil
}

// attracted tells whether a required affinity term holds on a node. The first pod
// of a group that wants to be with its own kind may start it anywhere.
func (s *snapshot) attracted(pod *corev1.Pod, node *corev1.Node, term corev1.PodAffinityTerm) bool {
	if _, ok := node.Labels[term.TopologyKey]; !ok {
		return false
	}
	matches := func(other *corev1.Pod) bool { return matchesTerm(term, pod, other) }
	if s.inTopology(node, term.TopologyKey, matches) {
		return true
	}
	return matchesTerm(term, pod, pod) && !s.anywhere(matches)
}

func (s *snapshot) repelledByExisting(pod *corev1.Pod, node *corev1.Node) bool {
	repels := func(term corev1.PodAffinityTerm, other *corev1.Pod) bool { return matchesTerm(term, other, pod) }
	for _, at := range s.nodes {
		for _, other := range s.pods[at.Name] {
			for _, term := range antiAffinityTerms(other) {
				if sameTopology(node, at, term.TopologyKey) && repels(term, other) {
					return true
				}
			}
		}
	}
	return false
}

// inTopology tells whether such a pod runs in the node's topology domain.
func (s *snapshot) inTopology(node *corev1.Node, key string, is func(*corev1.Pod) bool) bool {
	for _, at := range s.nodes {
		if sameTopology(node, at, key) && slices.ContainsFunc(s.pods[at.Name], is) {
			return true
		}
	}
	return false
}

func (s *snapshot) anywhere(is func(*corev1.Pod) bool) bool {
	for _, at := range s.nodes {
		if slices.ContainsFunc(s.pods[at.Name], is) {
			return true
		}
	}
	return false
}

func sameTopology(a, b *corev1.Node, key string) bool {
	x, ok := a.Labels[key]
	y, also := b.Labels[key]
	return ok && also && x == y
}

func affinityTerms(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAffinity != nil {
		return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func antiAffinityTerms(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

// matchesTerm tells whether a term of owner means other. Without namespaces the
// term means the owner's own; an empty namespaceSelector means all. Labels of
// namespaces are not looked at.
func matchesTerm(term corev1.PodAffinityTerm, owner, other *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
	if err != nil || !selector.Matches(labels.Set(other.Labels)) {
		return false
	}
	if term.NamespaceSelector != nil || slices.Contains(term.Namespaces, other.Namespace) {
		return true
	}
	return len(term.Namespaces) == 0 && owner.Namespace == other.Namespace
}
