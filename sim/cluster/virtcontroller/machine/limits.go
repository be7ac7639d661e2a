package machine

import (
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// hotplugRatio is how many times its CPU sockets and memory a guest may grow to
// where nothing says otherwise.
const hotplugRatio = 4

// setLimits sets what KubeVirt's webhook works out for a new instance: how far CPU
// and memory may be plugged, what memory is requested, and what the guest has.
func setLimits(vmi map[string]any, plug bool) {
	domain := standin.Map(vmi, "spec", "domain")
	if sockets, ok := standin.Int(domain, "cpu", "sockets"); ok && plug && standin.Field(domain, "cpu", "maxSockets") == nil {
		standin.Set(vmi, sockets*hotplugRatio, "spec", "domain", "cpu", "maxSockets")
	}
	guest := standin.String(domain, "memory", "guest")
	if guest == "" {
		return
	}
	if plug && standin.Field(domain, "memory", "maxGuest") == nil {
		q := quantity(guest)
		limit := resource.NewQuantity(q.Value()*hotplugRatio, q.Format)
		standin.Set(vmi, limit.String(), "spec", "domain", "memory", "maxGuest")
	}
	if standin.String(domain, "resources", "requests", "memory") == "" {
		standin.Set(vmi, guest, "spec", "domain", "resources", "requests", "memory")
	}
	standin.Set(vmi, map[string]any{"guestAtBoot": guest, "guestCurrent": guest, "guestRequested": guest}, "status", "memory")
}
