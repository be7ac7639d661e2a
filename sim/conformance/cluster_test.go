package conformance

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// A smallCluster is a random scheduling problem: nodes, pods that run there, and
// one pod to place.
type smallCluster struct {
	nodes   []corev1.Node
	running []corev1.Pod
	pod     corev1.Pod
}

var (
	zones  = []string{"a", "b"}
	apps   = []string{"x", "y"}
	levels = []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule}
)

// drawCluster draws a cluster; prefix keeps its names apart from other clusters'.
func drawCluster(t *rapid.T, prefix string) smallCluster {
	var c smallCluster
	for i := range rapid.IntRange(1, 4).Draw(t, "nodes") {
		c.nodes = append(c.nodes, drawNode(t, fmt.Sprintf("%s-node-%d", prefix, i)))
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "running") {
		p := drawPod(t, fmt.Sprintf("running-%d", i))
		p.Spec.NodeName = rapid.SampledFrom(c.nodes).Draw(t, "node").Name
		p.Spec.TopologySpreadConstraints = nil
		c.running = append(c.running, p)
	}
	c.pod = drawPod(t, "pending")
	return c
}

func drawNode(t *rapid.T, name string) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		"kubernetes.io/hostname": name, "zone": rapid.SampledFrom(zones).Draw(t, "zone"),
	}}}
	if chance(t, 3, "ssd") {
		n.Labels["disk"] = "ssd"
	}
	n.Spec.Unschedulable = chance(t, 6, "unschedulable")
	if chance(t, 4, "taint") {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "dedicated", Value: "x", Effect: rapid.SampledFrom(levels).Draw(t, "effect")})
	}
	n.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "cpu"))),
		corev1.ResourceMemory: resource.MustParse(fmt.Sprintf("%dGi", rapid.IntRange(1, 8).Draw(t, "memory"))),
		corev1.ResourcePods:   resource.MustParse(fmt.Sprint(rapid.IntRange(1, 10).Draw(t, "pods"))),
	}
	n.Status.Capacity = n.Status.Allocatable
	return n
}

// chance is true once in about n times.
func chance(t *rapid.T, n int, what string) bool { return rapid.IntRange(1, n).Draw(t, what) == 1 }

func drawPod(t *rapid.T, name string) corev1.Pod {
	p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": rapid.SampledFrom(apps).Draw(t, "app")}}}
	p.Spec.Containers = []corev1.Container{{Name: "c", Image: "example.com/c:1", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse(fmt.Sprintf("%dm", 250*rapid.IntRange(1, 6).Draw(t, "cpu"))),
			corev1.ResourceMemory: resource.MustParse(fmt.Sprintf("%dMi", 512*rapid.IntRange(1, 4).Draw(t, "memory"))),
		}}}}
	if chance(t, 5, "selector") {
		p.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	}
	if chance(t, 4, "toleration") {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
	}
	p.Spec.Affinity = drawAffinity(t)
	if chance(t, 5, "spread") {
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: int32(rapid.IntRange(1, 2).Draw(t, "skew")), TopologyKey: rapid.SampledFrom([]string{"zone", "kubernetes.io/hostname"}).Draw(t, "key"),
			WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: appSelector(t),
		}}
	}
	return p
}

func drawAffinity(t *rapid.T) *corev1.Affinity {
	a := &corev1.Affinity{}
	if chance(t, 5, "required node affinity") {
		a.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: "zone", Operator: rapid.SampledFrom([]corev1.NodeSelectorOperator{corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn}).Draw(t, "operator"),
				Values: []string{rapid.SampledFrom(zones).Draw(t, "zone")},
			}}}},
		}}
	}
	if chance(t, 6, "preferred node affinity") {
		if a.NodeAffinity == nil {
			a.NodeAffinity = &corev1.NodeAffinity{}
		}
		a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.PreferredSchedulingTerm{{Weight: 10,
			Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "disk", Operator: corev1.NodeSelectorOpExists}}}}}
	}
	if chance(t, 5, "affinity") {
		a.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: drawTerms(t)}
	}
	if chance(t, 4, "anti-affinity") {
		a.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: drawTerms(t)}
	}
	return a
}

func drawTerms(t *rapid.T) []corev1.PodAffinityTerm {
	return []corev1.PodAffinityTerm{{TopologyKey: rapid.SampledFrom([]string{"zone", "kubernetes.io/hostname"}).Draw(t, "key"), LabelSelector: appSelector(t)}}
}

func appSelector(t *rapid.T) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": rapid.SampledFrom(apps).Draw(t, "selected")}}
}
