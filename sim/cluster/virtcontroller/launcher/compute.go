package launcher

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// NodeSelector is the instance's own, the CPU selectors, and the mark of nodes
// that can run virtual machines (kubevirt-behaviour C.3).
func NodeSelector(vmi *facts.VMI) map[string]any {
	selector := map[string]any{}
	maps.Copy(selector, standin.Map(vmi.Content(), "spec", "nodeSelector"))
	selector[facts.LabelSchedulable] = "true"
	cpu := standin.Map(vmi.Content(), "spec", "domain", "cpu")
	if model := standin.String(cpu, "model"); model != "" && !strings.HasPrefix(model, "host-") {
		selector[facts.LabelCPUModelPrefix+model] = "true"
	}
	for _, f := range standin.Items(cpu, "features") {
		if policy := standin.String(f, "policy"); policy == "" || policy == "require" {
			selector[facts.LabelCPUFeaturePrefix+standin.String(f, "name")] = "true"
		}
	}
	return selector
}

// compute is the container of the virtual machine. It has what the instance
// requests: 100 millicores for a virtual CPU and the guest's memory, where the
// instance does not say otherwise.
func compute(vmi *facts.VMI, name, image string) map[string]any {
	domain := standin.Map(vmi.Content(), "spec", "domain")
	requests := map[string]any{"cpu": CPURequest(domain)}
	if memory := standin.String(domain, "memory", "guest"); memory != "" {
		requests["memory"] = memory
	}
	maps.Copy(requests, standin.Map(domain, "resources", "requests"))
	return map[string]any{"name": name, "image": image, "resources": map[string]any{"requests": requests}}
}

// AllocationRatio is how many virtual CPUs share one real one by default.
const AllocationRatio = 10

// CPURequest is what a domain requests of real CPUs.
func CPURequest(domain map[string]any) string {
	return resource.NewMilliQuantity(VCPUs(domain)*1000/AllocationRatio, resource.DecimalSI).String()
}

// VCPUs is how many virtual CPUs a domain has.
func VCPUs(domain map[string]any) int64 {
	cpus := int64(1)
	for _, part := range []string{"cores", "sockets", "threads"} {
		if n, ok := standin.Int(domain, "cpu", part); ok && n > 0 {
			cpus *= n
		}
	}
	return cpus
}
