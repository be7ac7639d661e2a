package ovn

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// Kind is the kind of the rows.
const Kind = "LogicalSwitchPort"

var groupVersion = schema.GroupVersion{Group: "ovn.vmreplay", Version: "v1"}

// APIVersion is the apiVersion of the rows.
var APIVersion = groupVersion.String()

// Options of a port that pin it to chassis.
const (
	// OptionRequestedChassis is one chassis, or "source,target" in a migration.
	OptionRequestedChassis = "requested-chassis"
	// OptionActivation is when the target takes over; ActivationRARP.
	OptionActivation = "activation-strategy"
	// ActivationRARP waits for the reverse ARP that QEMU sends when it resumes.
	ActivationRARP = "rarp"
)

// Resource is the table of the rows, for apiserver.Options.
func Resource() apiserver.Resource {
	return apiserver.Resource{
		Group: groupVersion.Group, Version: groupVersion.Version,
		Plural: "logicalswitchports", Singular: "logicalswitchport", Kind: Kind,
		ShortNames: []string{"port", "lsp"}, Internal: true,
	}
}

// A Port is one row.
type Port struct {
	Name string
	// Pod is the external id "pod": "namespace/name" of the virtual machine
	// instance, or of the pod (kubevirt-behaviour C.3).
	Pod string
	// Requested are the chassis of requested-chassis, in order.
	Requested []string
	// Chassis is where the port is claimed now; "" if it is nowhere.
	Chassis string

	Revision engine.Revision
}

func readPort(r engine.Revision) *Port {
	c := r.Content()
	p := &Port{
		Name:     r.Ref().Name,
		Pod:      standin.String(c, "externalIDs", "pod"),
		Chassis:  standin.String(c, "chassis"),
		Revision: r,
	}
	for _, name := range strings.Split(standin.String(c, "options", OptionRequestedChassis), ",") {
		if name = strings.TrimSpace(name); name != "" {
			p.Requested = append(p.Requested, name)
		}
	}
	return p
}

// allows tells whether a chassis may have the port: requested-chassis is not set,
// or lists it.
func (p *Port) allows(chassis string) bool {
	return len(p.Requested) == 0 || slices.Contains(p.Requested, chassis)
}
