package virtcontroller

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller/cache"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller/instance"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller/machine"
)

// ProcessName is the process of the controller.
const ProcessName = "virt-controller"

// Defaults of the options.
const (
	// DefaultLatency makes the gaps between a migration's phases 13 ms, where
	// kubevirt-behaviour E measured 13 and 14 ms.
	DefaultLatency = 10 * time.Millisecond
	// kubevirt-behaviour D.6: parallelMigrationsPerCluster 5,
	// parallelOutboundMigrationsPerNode 2.
	DefaultPerCluster = 5
	DefaultPerNode    = 2
)

// migrationWorkers of the queue (kubevirt-behaviour 0.1).
const migrationWorkers = 3

// Options are what may be set of the controller.
type Options struct {
	// Latency is how long a reconcile takes before its first write.
	Latency time.Duration
	// PerCluster and PerNode limit the migrations under way: in all, and away
	// from one node.
	PerCluster, PerNode int
	// Stock is KubeVirt as released, in place of Deckhouse's fork of it
	// (kubevirt-behaviour B.6).
	Stock bool
	// Head is a newer KubeVirt than v1.6.2, where that matters for machines and
	// instances: expectations that come back when they expire (kubevirt-behaviour
	// 0.3), RestartRequired that goes with its cause (B.1).
	Head bool
	// Stage is the roll-out strategy Stage in place of LiveUpdate (B.1).
	Stage bool
}

// A Controller is one running virt-controller.
type Controller struct {
	*standin.StandIn
	*cache.Cache
	o         Options
	queue     *standin.Queue // of migrations
	machines  *machine.Controller
	instances *instance.Controller
	// creations are expected target pods, by the migration's key.
	creations standin.Expectations
	// handedOff are UIDs of migrations handed to virt-handler, for the time until
	// the instance's cache shows it. Lost with a restart (D.7).
	handedOff map[string]bool
}

// New starts a controller.
func New(h standin.Host, o Options) (*Controller, error) {
	c := &Controller{
		StandIn: standin.New(h, ProcessName), Cache: &cache.Cache{}, o: o,
		creations: standin.Expectations{}, handedOff: map[string]bool{},
	}
	c.queue = c.NewQueue(standin.QueueOptions{Kind: facts.KindMigration, Latency: o.Latency, Workers: migrationWorkers}, c.reconcile)
	c.instances = instance.New(c.StandIn, c.Cache, instance.Options{Latency: o.Latency, Fork: !o.Stock, Requeue: o.Head})
	c.machines = machine.New(c.StandIn, c.Cache, machine.Options{Latency: o.Latency, Fork: !o.Stock, Head: o.Head, Stage: o.Stage})
	return c, c.Open(c.StandIn, cache.Handlers{
		VM:        c.machines.VMChanged,
		VMI:       c.instanceChanged,
		Pod:       c.podChanged,
		Migration: func(ev standin.Event[facts.Migration]) { c.queue.Add(ev.Key) },
		Node:      c.instances.NodeChanged,
	})
}

func (c *Controller) instanceChanged(ev standin.Event[facts.VMI]) {
	c.instances.VMIChanged(ev)
	c.machines.VMIChanged(ev)
	for _, m := range c.MigrationsOf(ev.Key) {
		c.queue.Add(m.Key())
	}
}

func (c *Controller) podChanged(ev standin.Event[facts.Pod]) {
	pod := ev.New
	if pod == nil {
		pod = ev.Old
	}
	if name := pod.Annotation(facts.AnnotationMigrationName); name != "" {
		key := pod.Sibling(name)
		if ev.Old == nil {
			c.creations.CreationObserved(key)
		}
		c.queue.Add(key)
	}
	c.instances.PodChanged(ev)
}
