package scheduler

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	schedulinghelper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
)

// Reasons, as kube-scheduler words them.
const (
	reasonUnschedulable = "node(s) were unschedulable"
	reasonTaints        = "node(s) had untolerated taint(s)"
	reasonNodeAffinity  = "node(s) didn't match Pod's node affinity/selector"
)

func lasting(reason string) *rejection { return &rejection{reasons: []string{reason}, lasting: true} }

func rejectUnschedulable(_ *snapshot, pod *corev1.Pod, node *corev1.Node) *rejection {
	if schedulable(pod, node) {
		return nil
	}
	return lasting(reasonUnschedulable)
}

func schedulable(pod *corev1.Pod, node *corev1.Node) bool {
	if !node.Spec.Unschedulable {
		return true
	}
	cordon := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	return schedulinghelper.TolerationsTolerateTaint(klog.Logger{}, pod.Spec.Tolerations, &cordon, false)
}

func rejectTaints(_ *snapshot, pod *corev1.Pod, node *corev1.Node) *rejection {
	if tolerated(pod, node) {
		return nil
	}
	return lasting(reasonTaints)
}

func tolerated(pod *corev1.Pod, node *corev1.Node) bool {
	keepsOut := func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}
	_, untolerated := schedulinghelper.FindMatchingUntoleratedTaint(klog.Logger{}, node.Spec.Taints, pod.Spec.Tolerations, keepsOut, false)
	return !untolerated
}

func rejectNodeAffinity(_ *snapshot, pod *corev1.Pod, node *corev1.Node) *rejection {
	if matchesNode(pod, node) {
		return nil
	}
	return lasting(reasonNodeAffinity)
}

// matchesNode tells whether a node satisfies nodeSelector and required node
// affinity. A selector that does not parse matches nothing.
func matchesNode(pod *corev1.Pod, node *corev1.Node) bool {
	ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	return ok && err == nil
}
