package vmim

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Options of a logical switch port that bear on migrations, and the external ID
// that says whose port it is.
const (
	// RequestedChassis is the chassis that may claim the port; during a migration
	// there are two, "source,target".
	RequestedChassis = "requested-chassis"
	// ActivationStrategy says what makes OVN switch from the first chassis to the
	// second.
	ActivationStrategy = "activation-strategy"
	// RARP is the strategy used: the target sends a reverse ARP when the VM runs.
	RARP = "rarp"
	// PodID is the key of the external ID "namespace/VM" of a VM's ports.
	PodID = "pod"
)

// OVN is the part of the client of OVN's northbound database that is needed.
type OVN interface {
	// ListLogicalSwitchPorts returns the ports that have all of these external
	// IDs, as the client's local cache has them.
	ListLogicalSwitchPorts(ctx context.Context, externalIDs map[string]string) ([]LogicalSwitchPort, error)
	// SetMigrateOptions sets requested-chassis to "source,target" and
	// activation-strategy to rarp.
	SetMigrateOptions(ctx context.Context, port, source, target string) error
	// ResetMigrateOptions sets requested-chassis to the one chassis and removes
	// activation-strategy; it does nothing to a port without requested-chassis.
	ResetMigrateOptions(ctx context.Context, port, chassis string) error
	// CleanMigrateOptions removes both options.
	CleanMigrateOptions(ctx context.Context, port string) error
}

// A LogicalSwitchPort is a row of the table of that name.
type LogicalSwitchPort struct {
	Name                 string
	ExternalIDs, Options map[string]string
}

// migrating says whether the port is set up for a migration between these nodes.
func (p LogicalSwitchPort) migrating(source, target string) bool {
	return p.Options[RequestedChassis] == source+","+target && p.Options[ActivationStrategy] == RARP
}

// pinned says whether the port needs no change to end up on that chassis alone. A
// port without requested-chassis goes wherever the VM is.
func (p LogicalSwitchPort) pinned(chassis string) bool {
	requested, set := p.Options[RequestedChassis]
	_, strategy := p.Options[ActivationStrategy]
	return !set || requested == chassis && !strategy
}

// clean says whether the port has none of the options.
func (p LogicalSwitchPort) clean() bool {
	_, requested := p.Options[RequestedChassis]
	_, strategy := p.Options[ActivationStrategy]
	return !requested && !strategy
}

// ports lists the ports of a VM by name. vm is "namespace/VM".
func (c *Controller) ports(ctx context.Context, vm string) ([]LogicalSwitchPort, error) {
	ports, err := c.ovn.ListLogicalSwitchPorts(ctx, map[string]string{PodID: vm})
	if err != nil {
		return nil, fmt.Errorf("list the logical switch ports of VM %s: %w", vm, err)
	}
	slices.SortFunc(ports, func(a, b LogicalSwitchPort) int { return cmp.Compare(a.Name, b.Name) })
	return ports, nil
}

// change calls write for every port of the VM that is not right yet, up to the
// first error. It returns how many ports there are and how many it wrote.
func (c *Controller) change(ctx context.Context, vm string, right func(LogicalSwitchPort) bool, write func(port string) error) (total, written int, err error) {
	ports, err := c.ports(ctx, vm)
	if err != nil {
		return 0, 0, err
	}
	for _, port := range ports {
		if right(port) {
			continue
		}
		if err := write(port.Name); err != nil {
			return len(ports), written, fmt.Errorf("change the migration options of port %s of VM %s: %w", port.Name, vm, err)
		}
		written++
	}
	return len(ports), written, nil
}

// always is the right of callers that write whatever the port has.
func always(LogicalSwitchPort) bool { return false }
