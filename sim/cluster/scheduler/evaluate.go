package scheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// A snapshot is the cluster as one attempt sees it.
type snapshot struct {
	nodes []*corev1.Node // by name
	pods  map[string][]*corev1.Pod
}

// snapshot collects what the views hold, with the pods that are assumed bound.
func (s *Scheduler) snapshot() *snapshot {
	snap := &snapshot{nodes: s.nodes.List(), pods: map[string][]*corev1.Pod{}}
	for _, p := range s.pods.List() {
		node := p.NodeName
		if assumed := s.assumed[p.Key()]; assumed != "" {
			node = assumed
		}
		if node != "" && !p.Final() {
			snap.pods[node] = append(snap.pods[node], typed(p))
		}
	}
	return snap
}

// A rejection is why one plugin does not want a pod on a node.
type rejection struct {
	reasons []string
	// lasting says that evicting other pods would not help.
	lasting bool
}

// A filter is one plugin. It returns nil if the pod may run on the node.
type filter struct {
	name   string
	reject func(s *snapshot, pod *corev1.Pod, node *corev1.Node) *rejection
}

// Names of the plugins.
const (
	pluginUnschedulable = "NodeUnschedulable"
	pluginTaints        = "TaintToleration"
	pluginNodeAffinity  = "NodeAffinity"
	pluginResources     = "NodeResourcesFit"
	pluginSpread        = "PodTopologySpread"
	pluginPodAffinity   = "InterPodAffinity"
)

// filters are the plugins in the order of kube-scheduler's default profile; the
// first that rejects a node gives the reason.
var filters = []filter{
	{pluginUnschedulable, rejectUnschedulable},
	{pluginTaints, rejectTaints},
	{pluginNodeAffinity, rejectNodeAffinity},
	{pluginResources, rejectResources},
	{pluginSpread, rejectSpread},
	{pluginPodAffinity, rejectPodAffinity},
}

// A verdict is the result of an attempt.
type verdict struct {
	node string // "" if there is none
	// nodes is how many there are, rejections why each was rejected, plugins
	// which ones did it, sorted.
	nodes      int
	rejections []*rejection
	plugins    []string
}

func evaluate(s *snapshot, pod *corev1.Pod) *verdict {
	v := &verdict{nodes: len(s.nodes)}
	for _, node := range s.nodes {
		plugin, r := check(s, pod, node)
		if r == nil {
			v.node = node.Name
			return v
		}
		v.rejections = append(v.rejections, r)
		if !slices.Contains(v.plugins, plugin) {
			v.plugins = append(v.plugins, plugin)
		}
	}
	if v.nodes == 0 {
		// The first node that comes may help, whatever it is.
		v.plugins = []string{pluginUnschedulable}
	}
	slices.Sort(v.plugins)
	return v
}

func check(s *snapshot, pod *corev1.Pod, node *corev1.Node) (plugin string, r *rejection) {
	for _, f := range filters {
		if r := f.reject(s, pod, node); r != nil {
			return f.name, r
		}
	}
	return "", nil
}
