package scheduler

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// ProcessName is the process of the scheduler.
const ProcessName = "kube-scheduler"

// DefaultLatency is how long a scheduling attempt takes; kubevirt-behaviour E
// gives 5-100 ms for a decision.
const DefaultLatency = 5 * time.Millisecond

// Options are what may be set of the scheduler.
type Options struct {
	// Latency is how long an attempt takes until it binds or gives up.
	Latency time.Duration
}

// A Scheduler is one running kube-scheduler.
type Scheduler struct {
	*standin.StandIn
	nodes *standin.View[corev1.Node]
	pods  *standin.View[facts.Pod]
	// active are the pods to try next.
	active *standin.Queue
	// assumed are nodes of pods that were bound but are not seen bound yet.
	assumed map[string]string
	parking
}

// New starts a scheduler.
func New(h standin.Host, o Options) (*Scheduler, error) {
	s := &Scheduler{
		StandIn: standin.New(h, ProcessName),
		assumed: map[string]string{},
		parking: parking{parked: map[string]*parked{}},
	}
	s.active = s.NewQueue(standin.QueueOptions{Kind: facts.KindPod, Latency: o.Latency, Backoff: podBackoff}, s.attempt)
	var err error
	s.nodes, err = standin.Watch(s.StandIn, facts.KindNode, apiserver.WatchOptions{}, apiserver.As[corev1.Node], s.nodeChanged)
	if err != nil {
		return nil, err
	}
	s.pods, err = standin.Watch(s.StandIn, facts.KindPod, apiserver.WatchOptions{}, facts.ReadPod, s.podChanged)
	return s, err
}

// typed decodes a pod; only attempts and hints need to.
func typed(p *facts.Pod) *corev1.Pod { return apiserver.As[corev1.Pod](p.Revision) }

// pending tells whether a pod is for this scheduler to place. One that is being
// deleted is skipped (kubevirt-behaviour C.5).
func pending(p *facts.Pod) bool {
	if p == nil || p.NodeName != "" || p.Final() || p.Deleting {
		return false
	}
	name := standin.String(p.Content(), "spec", "schedulerName")
	return (name == "" || name == corev1.DefaultSchedulerName) &&
		len(standin.Items(p.Content(), "spec", "schedulingGates")) == 0
}

// attempt tries to place one pod.
func (s *Scheduler) attempt(key string) standin.Plan {
	p := s.pods.Get(key)
	if !pending(p) || s.assumed[key] != "" {
		return standin.Plan{}
	}
	verdict := evaluate(s.snapshot(), typed(p))
	if verdict.node == "" {
		s.park(p, verdict.plugins)
		return s.report(p, verdict.message())
	}
	s.unpark(key)
	s.assumed[key] = verdict.node
	bind := s.Bind(p.Ref, verdict.node)
	bind.Then = func(err error) {
		if err != nil {
			delete(s.assumed, key)
		}
	}
	return standin.Plan{Writes: []standin.Write{bind}}
}

// report writes why a pod is unschedulable, if its status does not say so yet.
func (s *Scheduler) report(p *facts.Pod, message string) standin.Plan {
	unschedulable := func(content map[string]any) bool {
		return standin.SetCondition(content, s.Gate.Wall(), string(corev1.PodScheduled), "False", corev1.PodReasonUnschedulable, message)
	}
	if !unschedulable(standin.Edit(p.Content())) {
		return standin.Plan{}
	}
	w := s.PatchLive(p.Ref, p.UID, standin.Status, unschedulable)
	return standin.Plan{Writes: []standin.Write{w}}
}

func (s *Scheduler) podChanged(ev standin.Event[facts.Pod]) {
	if ev.New == nil || ev.New.NodeName != "" {
		delete(s.assumed, ev.Key)
	}
	switch {
	case pending(ev.New) && !pending(ev.Old):
		s.active.Add(ev.Key)
	case pending(ev.New):
		s.hint(ev.Key, ownUpdate(ev.Old, ev.New))
	default:
		s.unpark(ev.Key)
		s.assignedChanged(ev)
	}
}

// assignedChanged lets parked pods profit from a pod that came to a node, or
// left one: an ended pod takes no room any more.
func (s *Scheduler) assignedChanged(ev standin.Event[facts.Pod]) {
	before, after := onNode(ev.Old), onNode(ev.New)
	switch {
	case !before && after:
		s.hintAll(podAdded(ev.New))
	case before && !after:
		s.hintAll(podRemoved(ev.Old))
	}
}

// onNode tells whether a pod takes room on a node.
func onNode(p *facts.Pod) bool { return p != nil && p.NodeName != "" && !p.Final() }

func (s *Scheduler) nodeChanged(ev standin.Event[corev1.Node]) {
	if ev.New != nil {
		s.hintAll(nodeChanged(ev.Old, ev.New))
	}
}
