package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/cluster/garbage"
	"github.com/vmreplay/vmreplay/sim/cluster/kubelet"
	"github.com/vmreplay/vmreplay/sim/cluster/ovn"
	"github.com/vmreplay/vmreplay/sim/cluster/podgc"
	"github.com/vmreplay/vmreplay/sim/cluster/scheduler"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller"
	"github.com/vmreplay/vmreplay/sim/cluster/virthandler"
)

// Names of the stand-ins, as scenarios list them.
const (
	Scheduler      = "scheduler"
	Kubelet        = "kubelet"
	OVN            = "ovn"
	PodGC          = "pod-gc"
	Garbage        = "garbage-collector"
	VirtController = "virt-controller"
	VirtHandler    = "virt-handler"
)

// Names are all stand-ins, sorted.
func Names() []string {
	return []string{Garbage, Kubelet, OVN, PodGC, Scheduler, VirtController, VirtHandler}
}

// Processes are the names of the stand-ins' processes in traces, by stand-in.
func Processes() map[string]string {
	out := make(map[string]string, len(kinds))
	for _, k := range kinds {
		out[k.name] = k.process
	}
	return out
}

// Killable are the processes that Crash and Restart take, in the order of their
// start.
func Killable() []string {
	var all []string
	for _, k := range kinds {
		if !k.onNodes {
			all = append(all, k.process)
		}
	}
	return all
}

// A Cluster is the stand-ins of one run.
type Cluster struct {
	host standin.Host
	o    *options
	db   *ovn.DB
	// running are those that play along, in the order of their start.
	running []*running
}

type running struct {
	kind kind
	stop func()
}

// A kind of stand-in: its name, its process and how to start it.
type kind struct {
	name, process string
	start         func(c *Cluster) (stop func(), err error)
	// onNodes says that it is the memory of what runs on the nodes.
	onNodes bool
}

// kinds are in the order of their start: a run must not depend on the order of
// the names, and who is met on a node comes first.
var kinds = []kind{
	{OVN, ovn.ProcessName, startOVN, true},
	{Kubelet, kubelet.ProcessName, startKubelet, true},
	{Scheduler, scheduler.ProcessName, startScheduler, false},
	{VirtController, virtcontroller.ProcessName, startVirtController, false},
	{VirtHandler, virthandler.ProcessName, startVirtHandler, false},
	{PodGC, podgc.ProcessName, startPodGC, false},
	{Garbage, garbage.ProcessName, startGarbage, false},
}

// New starts the named stand-ins. Their caches fill from what host.API holds by
// then and later. Settings that are not of the catalog are left to others; those
// of the catalog must be valid. It fails for an unknown name, for a wrong value,
// and if the server does not serve a kind that a stand-in watches.
func New(host standin.Host, names []string, settings map[string]string) (*Cluster, error) {
	for _, name := range names {
		if !slices.Contains(Names(), name) {
			return nil, fmt.Errorf("no stand-in %q: there are %s", name, strings.Join(Names(), ", "))
		}
	}
	o, err := parse(settings)
	if err != nil {
		return nil, err
	}
	c := &Cluster{host: host, o: o, db: ovn.NewDB(host.API)}
	for _, k := range kinds {
		if !slices.Contains(names, k.name) {
			continue
		}
		r := &running{kind: k}
		if err := c.startOne(r); err != nil {
			c.Stop()
			return nil, err
		}
		c.running = append(c.running, r)
	}
	return c, nil
}

func (c *Cluster) startOne(r *running) (err error) {
	if r.stop, err = r.kind.start(c); err != nil {
		return fmt.Errorf("stand-in %s: %w", r.kind.name, err)
	}
	return nil
}

func startOVN(c *Cluster) (func(), error) {
	chassis, err := ovn.NewChassis(c.host)
	if err != nil {
		return nil, err
	}
	if c.o.gatesReadiness {
		c.o.kubelet.Network = chassis
	}
	return chassis.Stop, nil
}

func startKubelet(c *Cluster) (func(), error) {
	k, err := kubelet.New(c.host, c.o.kubelet)
	if err != nil {
		return nil, err
	}
	c.o.handler.Launchers = k
	return k.Stop, nil
}

func startScheduler(c *Cluster) (func(), error) {
	s, err := scheduler.New(c.host, c.o.scheduler)
	if err != nil {
		return nil, err
	}
	return s.Stop, nil
}

func startVirtController(c *Cluster) (func(), error) {
	v, err := virtcontroller.New(c.host, c.o.controller)
	if err != nil {
		return nil, err
	}
	return v.Stop, nil
}

func startVirtHandler(c *Cluster) (func(), error) {
	v, err := virthandler.New(c.host, c.o.handler)
	if err != nil {
		return nil, err
	}
	return v.Stop, nil
}

func startPodGC(c *Cluster) (func(), error) {
	g, err := podgc.New(c.host, c.o.collector)
	if err != nil {
		return nil, err
	}
	return g.Stop, nil
}

func startGarbage(c *Cluster) (func(), error) {
	g, err := garbage.New(c.host)
	if err != nil {
		return nil, err
	}
	return g.Stop, nil
}

// Crash kills a stand-in's process, given by the name in decision points: it
// forgets everything and stays down. The kubelets and ovn-controllers, in which
// the nodes' containers and interfaces live, cannot be killed.
func (c *Cluster) Crash(process string) error {
	r, err := c.killable(process)
	if err != nil {
		return err
	}
	r.stop()
	return nil
}

// Restart is Crash, and then a start with empty caches: every object is seen as
// new.
func (c *Cluster) Restart(process string) error {
	r, err := c.killable(process)
	if err != nil {
		return err
	}
	r.stop()
	return c.startOne(r)
}

func (c *Cluster) killable(process string) (*running, error) {
	var can []string
	for _, r := range c.running {
		if r.kind.onNodes {
			continue
		}
		if r.kind.process == process {
			return r, nil
		}
		can = append(can, r.kind.process)
	}
	return nil, fmt.Errorf("no stand-in process %q that can be killed: in this run there are %s", process, cmp.Or(strings.Join(can, ", "), "none"))
}

// Stop kills all stand-ins.
func (c *Cluster) Stop() {
	for _, r := range c.running {
		r.stop()
	}
}

// Call answers a controller's call to a system that is not Kubernetes. The one
// that there is, ovn.System, answers in every run, with or without the stand-in.
// The answer is JSON; that of a write is empty.
func (c *Cluster) Call(system, op string, args []string) ([]byte, error) {
	if system != ovn.System {
		return nil, fmt.Errorf("no system %q: there is %s", system, ovn.System)
	}
	return c.db.Call(op, args)
}

// IsRead tells whether the client of a system answers an operation from its own
// memory, so that the call takes no time.
func (c *Cluster) IsRead(system, op string) bool { return system == ovn.System && ovn.IsRead(op) }
