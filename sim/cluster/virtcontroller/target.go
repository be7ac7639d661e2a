package virtcontroller

import (
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// createTarget creates the target pod from the instance's present spec (C.3, D.3).
func (p *pass) createTarget(source *facts.Pod) {
	prefix := "virt-launcher-" + p.vmi.Ref.Name + "-"
	content := map[string]any{
		"apiVersion": "v1", "kind": facts.KindPod,
		"metadata": p.targetMeta(prefix),
		"spec":     p.targetSpec(source),
	}
	w := p.Create(engine.Ref{Kind: facts.KindPod, Namespace: p.m.Ref.Namespace, Name: prefix}, content)
	key := p.key
	p.creations.ExpectCreations(key, 1, p.Gate.Elapsed())
	w.Then = func(err error) {
		if err != nil {
			p.creations.CreationObserved(key)
		}
	}
	p.do(w)
}

func (p *pass) targetMeta(prefix string) map[string]any {
	labels := map[string]any{}
	for name, value := range standin.Map(p.vmi.Content(), "metadata", "labels") {
		if name != facts.LabelNodeName && name != facts.LabelTargetNodeName {
			labels[name] = value
		}
	}
	labels[facts.LabelApp] = facts.Launcher
	labels[facts.LabelCreatedBy] = p.vmi.UID
	labels[facts.LabelVMName] = p.vmi.Ref.Name
	labels[facts.LabelMigrationUID] = p.m.UID
	return map[string]any{
		"generateName": prefix,
		"namespace":    p.m.Ref.Namespace,
		"labels":       labels,
		"annotations": map[string]any{
			facts.AnnotationDomain:        p.vmi.Ref.Name,
			facts.AnnotationTransportUnix: "true",
			facts.AnnotationMigrationName: p.m.Ref.Name,
		},
		"ownerReferences": []any{map[string]any{
			"apiVersion": "kubevirt.io/v1", "kind": facts.KindVMI,
			"name": p.vmi.Ref.Name, "uid": p.vmi.UID,
			"controller": true, "blockOwnerDeletion": true,
		}},
	}
}

// graceMargin is what a launcher gets on top of its guest's grace period.
const graceMargin = 30

func (p *pass) targetSpec(source *facts.Pod) map[string]any {
	vmi := p.vmi.Content()
	grace, ok := standin.Int(vmi, "spec", "terminationGracePeriodSeconds")
	if !ok {
		grace = 30
	}
	spec := map[string]any{
		"restartPolicy":                 "Never",
		"terminationGracePeriodSeconds": grace + graceMargin,
		"nodeSelector":                  p.nodeSelector(),
		"affinity":                      p.affinity(),
		"readinessGates":                []any{map[string]any{"conditionType": facts.GateUnpaused}},
		"containers":                    []any{p.compute(source)},
	}
	if tolerations := standin.Field(vmi, "spec", "tolerations"); tolerations != nil {
		spec["tolerations"] = tolerations
	}
	return spec
}

// nodeSelector is the migration's added selector, the instance's own (which wins
// where both have a key), the CPU selectors, and the mark of nodes that can run
// virtual machines.
func (p *pass) nodeSelector() map[string]any {
	selector := map[string]any{}
	maps.Copy(selector, standin.Map(p.m.Content(), "spec", "addedNodeSelector"))
	maps.Copy(selector, standin.Map(p.vmi.Content(), "spec", "nodeSelector"))
	selector[facts.LabelSchedulable] = "true"
	cpu := standin.Map(p.vmi.Content(), "spec", "domain", "cpu")
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

// affinity is the instance's own, with the rule that keeps the target off every
// host on which a pod of the instance runs.
func (p *pass) affinity() map[string]any {
	affinity := map[string]any{}
	maps.Copy(affinity, standin.Map(p.vmi.Content(), "spec", "affinity"))
	anti := map[string]any{}
	maps.Copy(anti, standin.Map(affinity, "podAntiAffinity"))
	const required = "requiredDuringSchedulingIgnoredDuringExecution"
	terms := []any{}
	for _, term := range standin.Items(anti, required) {
		terms = append(terms, term)
	}
	anti[required] = append(terms, map[string]any{
		"labelSelector": map[string]any{"matchLabels": map[string]any{facts.LabelCreatedBy: p.vmi.UID}},
		"topologyKey":   facts.LabelHostname,
	})
	affinity["podAntiAffinity"] = anti
	return affinity
}

// compute is the container of the virtual machine. It has the image of the source
// pod, and what the instance requests: 100 millicores for a virtual CPU and the
// guest's memory, where the instance does not say otherwise.
func (p *pass) compute(source *facts.Pod) map[string]any {
	image := "virt-launcher"
	for _, c := range standin.Items(source.Content(), "spec", "containers") {
		if standin.String(c, "name") == facts.Compute && standin.String(c, "image") != "" {
			image = standin.String(c, "image")
		}
	}
	domain := standin.Map(p.vmi.Content(), "spec", "domain")
	requests := map[string]any{"cpu": cpuRequest(domain)}
	if memory := standin.String(domain, "memory", "guest"); memory != "" {
		requests["memory"] = memory
	}
	maps.Copy(requests, standin.Map(domain, "resources", "requests"))
	return map[string]any{"name": facts.Compute, "image": image, "resources": map[string]any{"requests": requests}}
}

// allocationRatio is how many virtual CPUs share one real one by default.
const allocationRatio = 10

func cpuRequest(domain map[string]any) string {
	cpus := int64(1)
	for _, part := range []string{"cores", "sockets", "threads"} {
		if n, ok := standin.Int(domain, "cpu", part); ok && n > 0 {
			cpus *= n
		}
	}
	return resource.NewMilliQuantity(cpus*1000/allocationRatio, resource.DecimalSI).String()
}
