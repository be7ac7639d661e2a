package instance

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller/cache"
)

// workers of the queue (kubevirt-behaviour 0.1).
const workers = 10

// Options are what may be set of the controller.
type Options struct {
	// Latency is how long a reconcile takes before its first write.
	Latency time.Duration
	// Fork is Deckhouse's fork (kubevirt-behaviour B.6): the name of the container,
	// the condition NodePlacementNotMatched, and no more than three failed pods.
	Fork bool
	// Requeue: a key whose expectations are open comes back when they expire, as in
	// newer versions; else it waits for an event (kubevirt-behaviour 0.3).
	Requeue bool
}

// A Controller reconciles instances.
type Controller struct {
	*standin.StandIn
	*cache.Cache
	o     Options
	queue *standin.Queue
	// pods are expected creations and deletions of pods, own are expected events of
	// the instance after the controller's own writes.
	pods, own standin.Expectations
	lost      map[string]*lostNode
}

// New makes the controller. Whoever fills the cache calls the methods that end in
// Changed.
func New(s *standin.StandIn, c *cache.Cache, o Options) *Controller {
	i := &Controller{
		StandIn: s, Cache: c, o: o,
		pods: standin.Expectations{}, own: standin.Expectations{}, lost: map[string]*lostNode{},
	}
	i.queue = s.NewQueue(standin.QueueOptions{Kind: facts.KindVMI, Latency: o.Latency, Workers: workers}, i.reconcile)
	return i
}

// VMIChanged takes in an event of an instance. Any event ends the wait for that
// of an own write.
func (c *Controller) VMIChanged(ev standin.Event[facts.VMI]) {
	delete(c.own, ev.Key)
	c.queue.Add(ev.Key)
}

// PodChanged takes in an event of a pod. That it is being deleted counts as its
// deletion.
func (c *Controller) PodChanged(ev standin.Event[facts.Pod]) {
	pod := ev.New
	if pod == nil {
		pod = ev.Old
	}
	c.look(pod.NodeName)
	vmi := c.InstanceOf(pod)
	if vmi == nil {
		return
	}
	key := vmi.Key()
	switch {
	case ev.New == nil || pod.Deleting:
		c.pods.DeletionObserved(key, ev.Key)
	case ev.Old == nil:
		c.pods.CreationObserved(key)
	}
	c.queue.Add(key)
}

// NodeChanged takes in an event of a node.
func (c *Controller) NodeChanged(ev standin.Event[corev1.Node]) { c.watchNode(ev) }
