package machine

import (
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// updateMemory plugs memory (kubevirt-behaviour B.2): more than at boot, up to
// maxGuest.
func (p *pass) updateMemory() ([]standin.Write, error) {
	template, own := standin.Map(p.content, "spec", "template", "spec", "domain"), p.vmi.Content()
	for _, value := range []any{standin.Field(template, "memory", "guest"),
		standin.Field(own, "spec", "domain", "memory", "guest"), standin.Field(own, "status", "memory", "guestCurrent")} {
		if value == nil {
			return nil, nil
		}
	}
	want, have := quantity(standin.Field(template, "memory", "guest")), quantity(standin.Field(own, "spec", "domain", "memory", "guest"))
	switch {
	case p.vmi.Has(conditionMemoryChange, "False"):
		p.requireRestart("memory updated in template spec. Memory-hotplug failed and is not available for this VM configuration")
	case want.Equal(have):
	case !p.migratable():
		p.requireRestart("memory updated in template spec. Memory-hotplug is only available for migratable VMs")
	case standin.Field(own, "spec", "domain", "memory", "maxGuest") == nil:
		p.requireRestart("memory updated in template spec. Memory-hotplug is not available for this VM configuration")
	case p.vmi.Has(conditionMemoryChange, "True"):
		return nil, errMemoryBusy
	case p.vmi.Migrating():
		return nil, errMemoryMigrating
	case less(want, standin.Field(own, "status", "memory", "guestAtBoot")):
		p.requireRestart("memory updated in template spec to a value lower than what the VM started with")
	case more(want, standin.Field(own, "spec", "domain", "memory", "maxGuest")):
		p.requireRestart("memory updated in template spec to a value higher than what's available")
	default:
		return []standin.Write{p.PatchJSON(p.vmi.Ref, p.plugMemory(want), "")}, nil
	}
	return nil, nil
}

func less(q resource.Quantity, than any) bool {
	other := quantity(than)
	return than != nil && q.Cmp(other) < 0
}

func more(q resource.Quantity, than any) bool {
	other := quantity(than)
	return than != nil && q.Cmp(other) > 0
}

// plugMemory raises the guest's memory and what the pod of a later migration
// requests; a request is at least the guest's memory.
func (p *pass) plugMemory(want resource.Quantity) []standin.Op {
	own := standin.Map(p.vmi.Content(), "spec", "domain")
	current := quantity(standin.Field(p.vmi.Content(), "status", "memory", "guestCurrent"))
	delta := want.DeepCopy()
	delta.Sub(current)
	was := standin.Field(own, "resources", "requests", "memory")
	request := quantity(was)
	request.Add(delta)
	if request.Cmp(want) < 0 {
		request = want
	}
	ops := standin.Replace("/spec/domain/memory/guest", standin.Field(own, "memory", "guest"), want.String())
	if was != nil {
		ops = append(ops, standin.Replace("/spec/domain/resources/requests/memory", was, request.String())...)
	}
	if standin.String(own, "resources", "limits", "memory") != "" {
		ops = append(ops, addTo(own, "limits", "memory", delta)...)
	}
	return ops
}
