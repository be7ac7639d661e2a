package kvvm

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// fits says whether a pod has this placement, apart from what KubeVirt and the API
// server add to every launcher pod: labels of its own in the node selector and in
// the required node affinity, the tolerations of nodes that fail, the default
// priority class. What the instance itself asks for is nothing that KubeVirt added.
func (p placement) fits(pod *corev1.Pod, kvvmi *kubevirtv1.VirtualMachineInstance) bool {
	spec := &pod.Spec
	asked := append(expressions(p.affinity), expressions(kvvmi.Spec.Affinity)...)
	return sameSelector(p.nodeSelector, spec.NodeSelector, kvvmi) &&
		equality.Semantic.DeepEqual(askedAffinity(p.affinity, asked), askedAffinity(spec.Affinity, asked)) &&
		sameTolerations(p.tolerations, spec.Tolerations) &&
		equality.Semantic.DeepEqual(p.topologySpreadConstraints, spec.TopologySpreadConstraints) &&
		(p.priorityClassName == "" || p.priorityClassName == spec.PriorityClassName)
}

// kubeVirtLabel says whether KubeVirt puts the label on nodes:
// kubevirt.io/schedulable, cpu-model.node.kubevirt.io/Haswell and the like
// (kubevirt-behaviour C.3).
func kubeVirtLabel(key string) bool {
	domain, _, ok := strings.Cut(key, "/")
	return ok && (domain == "kubevirt.io" || strings.HasSuffix(domain, ".kubevirt.io"))
}

// sameSelector compares node selectors: every label that is wanted must be there,
// and every other must be KubeVirt's, or the architecture of the instance.
func sameSelector(wanted, got map[string]string, kvvmi *kubevirtv1.VirtualMachineInstance) bool {
	for key, value := range wanted {
		if have, ok := got[key]; !ok || have != value {
			return false
		}
	}
	for key, value := range got {
		_, isWanted := wanted[key]
		_, isAsked := kvvmi.Spec.NodeSelector[key]
		added := kubeVirtLabel(key) || key == corev1.LabelArchStable && value == kvvmi.Spec.Architecture
		if !isWanted && (isAsked || !added) {
			return false
		}
	}
	return true
}

// expressions are those of the required node affinity.
func expressions(a *corev1.Affinity) []corev1.NodeSelectorRequirement {
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	var all []corev1.NodeSelectorRequirement
	for _, t := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		all = append(all, t.MatchExpressions...)
	}
	return all
}

// askedAffinity takes the expressions that KubeVirt adds out of the required node
// affinity, and what is empty then.
func askedAffinity(a *corev1.Affinity, asked []corev1.NodeSelectorRequirement) *corev1.Affinity {
	a = a.DeepCopy()
	if a == nil {
		return nil
	}
	if n := a.NodeAffinity; n != nil {
		n.RequiredDuringSchedulingIgnoredDuringExecution = askedTerms(n.RequiredDuringSchedulingIgnoredDuringExecution, asked)
		if equality.Semantic.DeepEqual(*n, corev1.NodeAffinity{}) {
			a.NodeAffinity = nil
		}
	}
	if equality.Semantic.DeepEqual(a.PodAffinity, &corev1.PodAffinity{}) {
		a.PodAffinity = nil
	}
	if equality.Semantic.DeepEqual(a.PodAntiAffinity, &corev1.PodAntiAffinity{}) {
		a.PodAntiAffinity = nil
	}
	if *a == (corev1.Affinity{}) {
		return nil
	}
	return a
}

func askedTerms(s *corev1.NodeSelector, asked []corev1.NodeSelectorRequirement) *corev1.NodeSelector {
	if s == nil {
		return nil
	}
	for i := range s.NodeSelectorTerms {
		term := &s.NodeSelectorTerms[i]
		term.MatchExpressions = slices.DeleteFunc(term.MatchExpressions, func(e corev1.NodeSelectorRequirement) bool {
			return kubeVirtLabel(e.Key) && !slices.ContainsFunc(asked, func(o corev1.NodeSelectorRequirement) bool {
				return equality.Semantic.DeepEqual(e, o)
			})
		})
	}
	s.NodeSelectorTerms = slices.DeleteFunc(s.NodeSelectorTerms, func(t corev1.NodeSelectorTerm) bool {
		return len(t.MatchExpressions)+len(t.MatchFields) == 0
	})
	if len(s.NodeSelectorTerms) == 0 {
		return nil
	}
	return s
}

// addedTolerations are the taints that every pod may be given a toleration of.
var addedTolerations = []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeMemoryPressure}

// sameTolerations compares tolerations in any order.
func sameTolerations(wanted, got []corev1.Toleration) bool {
	for _, t := range wanted {
		if !hasToleration(got, t) {
			return false
		}
	}
	for _, t := range got {
		if !hasToleration(wanted, t) && !slices.Contains(addedTolerations, t.Key) {
			return false
		}
	}
	return true
}

func hasToleration(list []corev1.Toleration, t corev1.Toleration) bool {
	return slices.ContainsFunc(list, func(o corev1.Toleration) bool { return equality.Semantic.DeepEqual(o, t) })
}
