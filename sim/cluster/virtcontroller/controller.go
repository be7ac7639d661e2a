package virtcontroller

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
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

// Workers of the queues (kubevirt-behaviour 0.1).
const (
	migrationWorkers = 3
	instanceWorkers  = 10
)

// Options are what may be set of the controller.
type Options struct {
	// Latency is how long a reconcile takes before its first write.
	Latency time.Duration
	// PerCluster and PerNode limit the migrations under way: in all, and away
	// from one node.
	PerCluster, PerNode int
}

// A Controller is one running virt-controller.
type Controller struct {
	*standin.StandIn
	o          Options
	migrations *standin.View[facts.Migration]
	vmis       *standin.View[facts.VMI]
	pods       *standin.View[facts.Pod]
	queue      *standin.Queue // of migrations
	instances  *standin.Queue
	// creations are expected target pods, by the migration's key.
	creations standin.Expectations
	// handedOff are UIDs of migrations handed to virt-handler, for the time until
	// the instance's cache shows it. Lost with a restart (D.7).
	handedOff map[string]bool
	// lost are instances whose pod was deleted, by key.
	lost map[string]bool
}

const (
	byInstance  = "instance"
	byOwner     = "owner"
	byMigration = "migration"
)

// New starts a controller.
func New(h standin.Host, o Options) (*Controller, error) {
	c := &Controller{
		StandIn: standin.New(h, ProcessName), o: o,
		creations: standin.Expectations{}, handedOff: map[string]bool{}, lost: map[string]bool{},
	}
	c.queue = c.NewQueue(standin.QueueOptions{Kind: facts.KindMigration, Latency: o.Latency, Workers: migrationWorkers}, c.reconcile)
	c.instances = c.NewQueue(standin.QueueOptions{Kind: facts.KindVMI, Latency: o.Latency, Workers: instanceWorkers}, c.reconcileInstance)
	return c, c.watch()
}

func (c *Controller) watch() (err error) {
	c.migrations, err = standin.Watch(c.StandIn, facts.KindMigration, apiserver.WatchOptions{}, facts.ReadMigration, c.migrationChanged)
	if err != nil {
		return err
	}
	c.migrations.Index(byInstance, instanceKey)
	c.vmis, err = standin.Watch(c.StandIn, facts.KindVMI, apiserver.WatchOptions{}, facts.ReadVMI, c.instanceChanged)
	if err != nil {
		return err
	}
	// The informer sees pods with this label only (kubevirt-behaviour 0.2).
	labelled := apiserver.WatchOptions{LabelSelector: facts.LabelApp}
	c.pods, err = standin.Watch(c.StandIn, facts.KindPod, labelled, facts.ReadPod, c.podChanged)
	if err != nil {
		return err
	}
	c.pods.Index(byOwner, ownerOf)
	c.pods.Index(byMigration, func(p *facts.Pod) string { return p.Label(facts.LabelMigrationUID) })
	return nil
}

// instanceKey is the key of the instance that a migration moves.
func instanceKey(m *facts.Migration) string { return m.Sibling(m.VMIName) }

// ownerOf is the UID of the instance that a pod belongs to.
func ownerOf(p *facts.Pod) string {
	if p.OwnerUID != "" {
		return p.OwnerUID
	}
	return p.Label(facts.LabelCreatedBy)
}

func (c *Controller) migrationChanged(ev standin.Event[facts.Migration]) { c.queue.Add(ev.Key) }

func (c *Controller) instanceChanged(ev standin.Event[facts.VMI]) {
	c.instances.Add(ev.Key)
	for _, m := range c.migrations.By(byInstance, ev.Key) {
		c.queue.Add(m.Key())
	}
}

func (c *Controller) podChanged(ev standin.Event[facts.Pod]) {
	pod := ev.New
	if pod == nil {
		pod = ev.Old
		c.podDeleted(pod)
	}
	if name := pod.Annotation(facts.AnnotationMigrationName); name != "" {
		key := pod.Sibling(name)
		if ev.Old == nil {
			c.creations.CreationObserved(key)
		}
		c.queue.Add(key)
	}
	if vmi := c.instanceOf(pod); vmi != nil {
		c.instances.Add(vmi.Key())
	}
}

// instanceOf is the instance that a pod belongs to, if the cache has it.
func (c *Controller) instanceOf(pod *facts.Pod) *facts.VMI {
	name := pod.Label(facts.LabelVMName)
	if name == "" {
		name = pod.Annotation(facts.AnnotationDomain)
	}
	vmi := c.vmis.Get(engine.Ref{Namespace: pod.Ref.Namespace, Name: name}.Key())
	if vmi == nil || vmi.UID != ownerOf(pod) {
		return nil
	}
	return vmi
}
