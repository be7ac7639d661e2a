package cluster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/cluster/kubelet"
	"github.com/vmreplay/vmreplay/sim/cluster/ovn"
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
	VirtController = "virt-controller"
	VirtHandler    = "virt-handler"
)

// Names are all stand-ins, sorted.
func Names() []string {
	return []string{Kubelet, OVN, Scheduler, VirtController, VirtHandler}
}

// A Cluster is the stand-ins of one run.
type Cluster struct {
	db *ovn.DB
	// processes are those that run, in the order of their start.
	processes []process
}

type process struct {
	name string
	stop func()
}

// New starts the named stand-ins. Their caches fill from what host.API holds by
// then and later. Settings that are not of the catalog are left to others; those
// of the catalog must be valid. It fails for an unknown name, for a wrong value,
// and if a server does not serve a kind that a stand-in watches.
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
	c := &Cluster{db: ovn.NewDB(host.API)}
	if err := c.start(host, func(name string) bool { return slices.Contains(names, name) }, o); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// start builds the stand-ins in a fixed order, whatever the order of the names:
// a run must not depend on it. Who is met on a node comes first.
func (c *Cluster) start(host standin.Host, has func(string) bool, o *options) error {
	if has(OVN) {
		chassis, err := ovn.NewChassis(host)
		if err != nil {
			return fmt.Errorf("stand-in %s: %w", OVN, err)
		}
		c.add(ovn.ProcessName, chassis.Stop)
		if o.gatesReadiness {
			o.kubelet.Network = chassis
		}
	}
	if has(Kubelet) {
		k, err := kubelet.New(host, o.kubelet)
		if err != nil {
			return fmt.Errorf("stand-in %s: %w", Kubelet, err)
		}
		c.add(kubelet.ProcessName, k.Stop)
		o.handler.Launchers = k
	}
	if has(Scheduler) {
		s, err := scheduler.New(host, o.scheduler)
		if err != nil {
			return fmt.Errorf("stand-in %s: %w", Scheduler, err)
		}
		c.add(scheduler.ProcessName, s.Stop)
	}
	if has(VirtController) {
		v, err := virtcontroller.New(host, o.controller)
		if err != nil {
			return fmt.Errorf("stand-in %s: %w", VirtController, err)
		}
		c.add(virtcontroller.ProcessName, v.Stop)
	}
	if has(VirtHandler) {
		v, err := virthandler.New(host, o.handler)
		if err != nil {
			return fmt.Errorf("stand-in %s: %w", VirtHandler, err)
		}
		c.add(virthandler.ProcessName, v.Stop)
	}
	return nil
}

func (c *Cluster) add(name string, stop func()) {
	c.processes = append(c.processes, process{name, stop})
}

// Stop kills all stand-ins.
func (c *Cluster) Stop() {
	for _, p := range c.processes {
		p.stop()
	}
}

// Processes are the names of the processes that play along, as decision points
// show them, sorted.
func (c *Cluster) Processes() []string {
	var names []string
	for _, p := range c.processes {
		names = append(names, p.name)
	}
	slices.Sort(names)
	return names
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
