package machine

import (
	"errors"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller/launcher"
)

// Conditions of an instance that the hotplug of CPU and memory asks about.
const (
	conditionVCPUChange   = "HotVCPUChange"
	conditionMemoryChange = "HotMemoryChange"
)

var (
	errCPUBusy         = errors.New("another CPU hotplug is in progress")
	errCPUMigrating    = errors.New("CPU hotplug is not allowed while VMI is migrating")
	errMemoryBusy      = errors.New("another memory hotplug is in progress")
	errMemoryMigrating = errors.New("memory hotplug is not allowed while VMI is migrating")
)

// migratable tells whether the instance can be moved, which plugging needs. Before
// virt-handler has said so, it cannot.
func (p *pass) migratable() bool {
	return p.vmi.Has("LiveMigratable", "True") || p.vmi.Has("StorageLiveMigratable", "True")
}

// updateCPU plugs sockets (kubevirt-behaviour B.2): more, up to maxSockets. What
// cannot be plugged needs a restart.
func (p *pass) updateCPU() ([]standin.Write, error) {
	template, own := standin.Map(p.content, "spec", "template", "spec", "domain"), standin.Map(p.vmi.Content(), "spec", "domain")
	want, _ := standin.Int(template, "cpu", "sockets")
	have, _ := standin.Int(own, "cpu", "sockets")
	limit, _ := standin.Int(own, "cpu", "maxSockets")
	switch {
	case standin.Map(template, "cpu") == nil || standin.Map(own, "cpu") == nil || want == have:
		return nil, nil
	case p.vmi.Has(conditionVCPUChange, "True"):
		return nil, errCPUBusy
	case !p.migratable():
		p.requireRestart("cpu updated in template spec. CPU-hotplug is only available for migratable VMs")
	case p.vmi.Migrating():
		return nil, errCPUMigrating
	case want > limit:
		p.requireRestart("CPU sockets updated in template spec to a value higher than what's available")
	case want < have:
		p.requireRestart("Reduction of CPU socket count requires a restart")
	default:
		ops := standin.Replace("/spec/domain/cpu/sockets", standin.Field(own, "cpu", "sockets"), want)
		more := launcher.VCPUs(template) - launcher.VCPUs(own)
		delta := resource.NewMilliQuantity(more*1000/launcher.AllocationRatio, resource.DecimalSI)
		for _, part := range []string{"requests", "limits"} {
			if standin.String(template, "resources", part, "cpu") != "" {
				ops = append(ops, addTo(own, part, "cpu", *delta)...)
			}
		}
		return []standin.Write{p.PatchJSON(p.vmi.Ref, ops, "")}, nil
	}
	return nil, nil
}

// addTo raises what a domain requests, or its limit, of a resource.
func addTo(domain map[string]any, part, name string, delta resource.Quantity) []standin.Op {
	was := standin.Field(domain, "resources", part, name)
	sum := quantity(was)
	sum.Add(delta)
	return standin.Replace("/spec/domain/resources/"+part+"/"+name, was, sum.String())
}

// quantity reads an amount; one that is not there, or does not parse, is nothing.
func quantity(value any) resource.Quantity {
	text, _ := value.(string)
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return resource.Quantity{}
	}
	return q
}
