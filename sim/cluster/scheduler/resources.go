package scheduler

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
)

const reasonTooManyPods = "Too many pods"

// rejectResources compares what the pod requests with what the node has left.
func rejectResources(s *snapshot, pod *corev1.Pod, node *corev1.Node) *rejection {
	if len(node.Status.Allocatable) == 0 {
		return nil // a node that states no capacity sets no limit
	}
	others := s.pods[node.Name]
	r := &rejection{}
	if limit, ok := node.Status.Allocatable[corev1.ResourcePods]; ok && int64(len(others)+1) > limit.Value() {
		r.reasons = append(r.reasons, reasonTooManyPods)
	}
	requests := requestsOf(pod)
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		wanted, allocatable, limited := requests[name], node.Status.Allocatable[name], limits(node, name)
		if !limited || wanted.IsZero() || left(allocatable, others, name).Cmp(wanted) >= 0 {
			continue
		}
		r.reasons = append(r.reasons, "Insufficient "+string(name))
		r.lasting = r.lasting || wanted.Cmp(allocatable) > 0
	}
	if len(r.reasons) == 0 {
		return nil
	}
	return r
}

// limits tells whether a node limits a resource. A fixture that states only some
// of cpu, memory and storage leaves the others open; an extended resource that is
// not there is not there.
func limits(node *corev1.Node, name corev1.ResourceName) bool {
	if _, ok := node.Status.Allocatable[name]; ok {
		return true
	}
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return false
	}
	return true
}

func left(allocatable resource.Quantity, others []*corev1.Pod, name corev1.ResourceName) *resource.Quantity {
	free := allocatable.DeepCopy()
	for _, p := range others {
		if q, ok := requestsOf(p)[name]; ok {
			free.Sub(q)
		}
	}
	return &free
}

func requestsOf(pod *corev1.Pod) corev1.ResourceList {
	return resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
}
