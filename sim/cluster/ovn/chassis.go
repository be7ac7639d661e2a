package ovn

import (
	"slices"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// ProcessName is the process of the ovn-controllers; one stands for all nodes.
const ProcessName = "ovn-controller"

// Chassis are the ovn-controllers of all nodes. A chassis on which a port's
// interface was plugged claims the port if requested-chassis lists it; where it
// is not set, the chassis that has the port keeps it for as long as the
// interface stays plugged there, and others wait.
type Chassis struct {
	*standin.StandIn
	ports   *standin.View[Port]
	plugged map[string][]string // port name -> chassis, in the order of plugging
	claims  map[string]bool     // ports whose claim is being written
	changed []func()
}

// NewChassis starts the ovn-controllers.
func NewChassis(h standin.Host) (*Chassis, error) {
	c := &Chassis{
		StandIn: standin.New(h, ProcessName),
		plugged: map[string][]string{}, claims: map[string]bool{},
	}
	var err error
	c.ports, err = standin.Watch(c.StandIn, Kind, apiserver.WatchOptions{}, readPort, c.portChanged)
	if err != nil {
		return nil, err
	}
	c.ports.Index(byPod, func(p *Port) string { return p.Pod })
	return c, nil
}

const byPod = "pod"

// OnChange registers a function that is called whenever Installed may answer
// something else than before.
func (c *Chassis) OnChange(f func()) { c.changed = append(c.changed, f) }

// PortsOf are the names of the ports of a virtual machine instance, or of a pod,
// given as "namespace/name".
func (c *Chassis) PortsOf(pod string) []string {
	var names []string
	for _, p := range c.ports.By(byPod, pod) {
		names = append(names, p.Name)
	}
	return names
}

// Plug adds a port's interface on a chassis, as CNI ADD does.
func (c *Chassis) Plug(port, chassis string) {
	if !slices.Contains(c.plugged[port], chassis) {
		c.plugged[port] = append(c.plugged[port], chassis)
		c.claim(port)
	}
}

// Unplug removes it, as CNI DEL does.
func (c *Chassis) Unplug(port, chassis string) {
	c.plugged[port] = slices.DeleteFunc(c.plugged[port], func(n string) bool { return n == chassis })
	c.claim(port)
}

// Installed tells whether the flows of a port are installed on a chassis, as far
// as its ovn-controller has seen the database: what CNI ADD polls for
// (ovn-installed). With "source,target" requested, that is so on both.
func (c *Chassis) Installed(port, chassis string) bool {
	p := c.ports.Get(port)
	if p == nil || !slices.Contains(c.plugged[port], chassis) {
		return false
	}
	if len(p.Requested) == 0 {
		return p.Chassis == chassis
	}
	return p.allows(chassis)
}

func (c *Chassis) portChanged(ev standin.Event[Port]) {
	if ev.Old == nil && ev.New.Chassis != "" {
		// A port that is claimed when it is first seen is plugged there, whether or
		// not somebody says so here.
		c.Plug(ev.Key, ev.New.Chassis)
	}
	c.claim(ev.Key)
	for _, f := range c.changed {
		f()
	}
}

// claim writes where a port is now, if that is not what its row says.
func (c *Chassis) claim(port string) {
	p := c.ports.Get(port)
	if p == nil || c.claims[port] {
		return
	}
	owner := c.owner(p)
	if owner == p.Chassis {
		return
	}
	c.claims[port] = true
	ref := engine.Ref{Kind: Kind, Name: port}
	write := c.PatchLive(ref, standin.String(p.Revision.Content(), "metadata", "uid"), "", func(content map[string]any) bool {
		if standin.String(content, "chassis") == owner {
			return false
		}
		standin.Set(content, owner, "chassis")
		return true
	})
	write.Detail = "chassis"
	c.Run([]standin.Write{write}, func(error) { delete(c.claims, port) })
}

// owner is the chassis that has a port. In a migration (two chassis requested)
// the first one, the source, keeps it.
func (c *Chassis) owner(p *Port) string {
	has := func(chassis string) bool {
		return p.allows(chassis) && slices.Contains(c.plugged[p.Name], chassis)
	}
	if has(p.Chassis) {
		return p.Chassis
	}
	candidates := p.Requested
	if len(candidates) == 0 {
		candidates = c.plugged[p.Name]
	}
	for _, chassis := range candidates {
		if has(chassis) {
			return chassis
		}
	}
	return p.Chassis
}
