package kvvm

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// placement is all that decides which nodes a pod may run on.
type placement struct {
	nodeSelector              map[string]string
	affinity                  *corev1.Affinity
	tolerations               []corev1.Toleration
	topologySpreadConstraints []corev1.TopologySpreadConstraint
	priorityClassName         string
}

// wantedPlacement adds the rules of a VM and of its class up. Where both name a
// label, the VM's own value counts.
func wantedPlacement(vm *v1alpha2.VirtualMachineSpec, class *v1alpha2.VirtualMachineClassSpec) placement {
	p := placement{
		affinity:                  wantedAffinity(vm.Affinity, class.NodeSelector.MatchExpressions),
		tolerations:               slices.Concat(vm.Tolerations, class.Tolerations),
		topologySpreadConstraints: vm.TopologySpreadConstraints,
		priorityClassName:         vm.PriorityClassName,
	}
	if len(vm.NodeSelector)+len(class.NodeSelector.MatchLabels) > 0 {
		p.nodeSelector = map[string]string{}
		maps.Copy(p.nodeSelector, class.NodeSelector.MatchLabels)
		maps.Copy(p.nodeSelector, vm.NodeSelector)
	}
	return p
}

// wantedAffinity demands the class' expressions in each of the VM's alternatives.
func wantedAffinity(vm *v1alpha2.VMAffinity, class []corev1.NodeSelectorRequirement) *corev1.Affinity {
	if vm == nil && len(class) == 0 {
		return nil
	}
	a := &corev1.Affinity{}
	if vm != nil {
		a.NodeAffinity = vm.NodeAffinity.DeepCopy()
		a.PodAffinity = vm.VirtualMachineAndPodAffinity.DeepCopy()
		a.PodAntiAffinity = vm.VirtualMachineAndPodAntiAffinity.DeepCopy()
	}
	if len(class) == 0 {
		return a
	}
	if a.NodeAffinity == nil {
		a.NodeAffinity = &corev1.NodeAffinity{}
	}
	required := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if required == nil || len(required.NodeSelectorTerms) == 0 {
		required = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{}}}
	}
	for i := range required.NodeSelectorTerms {
		term := &required.NodeSelectorTerms[i]
		term.MatchExpressions = append(term.MatchExpressions, class...)
	}
	a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = required
	return a
}
