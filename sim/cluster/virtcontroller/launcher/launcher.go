// Package launcher renders the pods in which virtual machines run, from the
// present spec of an instance (kubevirt-behaviour C.3). Both the controller of
// instances and that of migrations create such pods.
//
// It knows standin and facts.
package launcher

import (
	"cmp"
	"maps"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// DefaultImage is the image of launchers where nothing says otherwise.
const DefaultImage = "virt-launcher"

// graceMargin is how many seconds a launcher gets on top of its guest's grace
// period.
const graceMargin = 30

// A Template is a launcher pod to be. Its maps may be changed.
type Template struct {
	Labels, Annotations, Spec map[string]any
	vmi                       *facts.VMI
}

// Render makes the launcher pod of an instance. container is the name of the
// container that runs the machine, image what it runs; "" is DefaultImage.
func Render(vmi *facts.VMI, container, image string) *Template {
	t := &Template{vmi: vmi, Labels: map[string]any{}, Annotations: map[string]any{}}
	for name, value := range standin.Map(vmi.Content(), "metadata", "labels") {
		if name != facts.LabelNodeName && name != facts.LabelTargetNodeName {
			t.Labels[name] = value
		}
	}
	t.Labels[facts.LabelApp] = facts.Launcher
	t.Labels[facts.LabelCreatedBy] = vmi.UID
	t.Labels[facts.LabelVMName] = vmi.Ref.Name
	t.Annotations[facts.AnnotationDomain] = vmi.Ref.Name
	t.Annotations[facts.AnnotationTransportUnix] = "true"
	t.Spec = map[string]any{
		"restartPolicy":                 "Never",
		"terminationGracePeriodSeconds": vmi.GracePeriod() + graceMargin,
		"nodeSelector":                  NodeSelector(vmi),
		"readinessGates":                []any{map[string]any{"conditionType": facts.GateUnpaused}},
		"containers":                    []any{compute(vmi, container, cmp.Or(image, DefaultImage))},
	}
	for _, field := range []string{"affinity", "tolerations", "topologySpreadConstraints", "priorityClassName", "schedulerName"} {
		if value := standin.Field(vmi.Content(), "spec", field); value != nil {
			t.Spec[field] = value
		}
	}
	return t
}

// Prefix is what the names of an instance's launcher pods begin with.
func Prefix(vmi *facts.VMI) string { return "virt-launcher-" + vmi.Ref.Name + "-" }

// Create is the write that creates the pod.
func (t *Template) Create(s *standin.StandIn) standin.Write {
	prefix := Prefix(t.vmi)
	return s.Create(engine.Ref{Kind: facts.KindPod, Namespace: t.vmi.Ref.Namespace, Name: prefix}, map[string]any{
		"apiVersion": "v1", "kind": facts.KindPod,
		"metadata": map[string]any{
			"generateName":    prefix,
			"namespace":       t.vmi.Ref.Namespace,
			"labels":          t.Labels,
			"annotations":     t.Annotations,
			"ownerReferences": []any{facts.ControllerRef("kubevirt.io/v1", &t.vmi.Meta)},
		},
		"spec": t.Spec,
	})
}

// Avoid keeps the pod off every host on which a pod of the instance runs: the
// rule of a migration's target (kubevirt-behaviour D.3).
func (t *Template) Avoid() {
	affinity := map[string]any{}
	maps.Copy(affinity, standin.Map(t.Spec, "affinity"))
	anti := map[string]any{}
	maps.Copy(anti, standin.Map(affinity, "podAntiAffinity"))
	const required = "requiredDuringSchedulingIgnoredDuringExecution"
	terms := []any{}
	for _, term := range standin.Items(anti, required) {
		terms = append(terms, term)
	}
	anti[required] = append(terms, map[string]any{
		"labelSelector": map[string]any{"matchLabels": map[string]any{facts.LabelCreatedBy: t.vmi.UID}},
		"topologyKey":   facts.LabelHostname,
	})
	affinity["podAntiAffinity"] = anti
	t.Spec["affinity"] = affinity
}
