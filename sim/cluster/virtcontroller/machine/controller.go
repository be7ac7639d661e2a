package machine

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller/cache"
)

// workers of the queue (kubevirt-behaviour 0.1).
const workers = 3

// Options are what may be set of the controller.
type Options struct {
	// Latency is how long a reconcile takes before its first write.
	Latency time.Duration
	// Fork is Deckhouse's fork: a machine whose template changed so that it must
	// restart does so if its instance is not scheduled yet (kubevirt-behaviour B.6).
	Fork bool
	// Head is a newer version than v1.6.2 (kubevirt-behaviour 0.3, A.3, B.1).
	Head bool
	// Stage is the roll-out strategy Stage in place of LiveUpdate (B.1).
	Stage bool
}

// A Controller reconciles virtual machines.
type Controller struct {
	*standin.StandIn
	*cache.Cache
	o     Options
	queue *standin.Queue
	// expected are creations and deletions of instances.
	expected standin.Expectations
}

// New makes the controller. Whoever fills the cache calls the methods that end in
// Changed.
func New(s *standin.StandIn, c *cache.Cache, o Options) *Controller {
	m := &Controller{StandIn: s, Cache: c, o: o, expected: standin.Expectations{}}
	m.queue = s.NewQueue(standin.QueueOptions{Kind: facts.KindVM, Latency: o.Latency, Workers: workers}, m.reconcile)
	return m
}

// VMChanged takes in an event of a virtual machine.
func (c *Controller) VMChanged(ev standin.Event[facts.VM]) { c.queue.Add(ev.Key) }

// VMIChanged takes in an event of an instance. That it is being deleted counts as
// its deletion (kubevirt-behaviour 0.3). An instance whose machine is not in the
// cache wakes nobody: the machine's own event will.
func (c *Controller) VMIChanged(ev standin.Event[facts.VMI]) {
	vmi := ev.New
	if vmi == nil {
		vmi = ev.Old
	}
	if vmi.Owner == (facts.Owner{}) && ev.New != nil {
		if c.VMs.Get(ev.Key) != nil && ev.Old == nil {
			c.queue.Add(ev.Key) // to be adopted
		}
		return
	}
	vm := c.OwnerVM(vmi)
	if vm == nil {
		return
	}
	switch {
	case ev.New == nil || vmi.Deleting:
		c.expected.DeletionObserved(vm.Key(), ev.Key)
	case ev.Old == nil:
		c.expected.CreationObserved(vm.Key())
	}
	c.queue.Add(vm.Key())
}
