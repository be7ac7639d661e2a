package sim

import (
	"encoding/json"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// pointOf names the decision in which an event happens.
func pointOf(ev *scenario.Event) engine.Point {
	p := engine.Point{Process: engine.User}
	switch {
	case ev.Apply != nil:
		ref := refOf(ev.Apply.Content)
		p.Verb, p.Kind, p.Object = "apply", ref.Kind, ref.Key()
	case ev.Patch != nil:
		p.Verb, p.Kind, p.Object, p.Detail = "patch", ev.Patch.Kind, ev.Patch.Name, ev.Patch.Subresource
	case ev.Delete != nil:
		p.Verb, p.Kind, p.Object, p.Detail = "delete", ev.Delete.Kind, ev.Delete.Name, ev.Delete.Selector
	case ev.Bind != nil:
		p.Verb, p.Kind, p.Object, p.Detail = "bind", "Pod", ev.Bind.Pod, ev.Bind.Node
	case ev.Cordon != "":
		p.Verb, p.Kind, p.Object = "cordon", "Node", ev.Cordon
	case ev.Uncordon != "":
		p.Verb, p.Kind, p.Object = "uncordon", "Node", ev.Uncordon
	case ev.Evict != nil:
		p.Verb, p.Kind, p.Object, p.Detail = "evict", ev.Evict.Kind, ev.Evict.Name, ev.Evict.Selector
	case ev.Crash != "":
		p.Verb, p.Object = "crash", ev.Crash
	case ev.Restart != "":
		p.Verb, p.Object = "restart", ev.Restart
	default:
		p.Verb, p.Object = "mark", ev.Name
	}
	return p
}

func refOf(content map[string]any) engine.Ref {
	kind, _ := content["kind"].(string)
	if version, _ := content["apiVersion"].(string); kind == v1alpha2.VirtualMachineKind && version == v1alpha2.GroupVersion.String() {
		kind = deckhouseVM
	}
	meta, _ := content["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	namespace, _ := meta["namespace"].(string)
	return engine.Ref{Kind: kind, Namespace: namespace, Name: name}
}

// act does what an event says. The outcome has the resourceVersion written.
func (w *World) act(ev *scenario.Event) (engine.Outcome, error) {
	before := w.API.Version()
	if err := w.do(ev); err != nil {
		return engine.Outcome{}, err
	}
	out := engine.Outcome{Text: "ok"}
	if after := w.API.Version(); after != before {
		out.Version = after
	}
	return out, nil
}

func (w *World) do(ev *scenario.Event) error {
	switch {
	case ev.Apply != nil:
		_, err := w.API.Load(ev.Apply.Content)
		return err
	case ev.Patch != nil:
		return w.patch(engine.ParseKey(ev.Patch.Kind, ev.Patch.Name), ev.Patch.Subresource, ev.Patch.Merge)
	case ev.Delete != nil:
		return w.delete(ev.Delete)
	case ev.Bind != nil:
		return w.API.Bind(engine.ParseKey("Pod", ev.Bind.Pod), ev.Bind.Node)
	case ev.Cordon != "":
		return w.unschedulable(ev.Cordon, true)
	case ev.Uncordon != "":
		return w.unschedulable(ev.Uncordon, nil)
	case ev.Evict != nil:
		return w.evict(ev.Evict)
	case ev.Crash != "":
		return w.stop(ev.Crash)
	case ev.Restart != "":
		return w.kill(ev.Restart, 0)
	case ev.Mark:
		return nil
	}
	return errors.New("the event has no action")
}

func (w *World) patch(ref engine.Ref, subresource string, merge map[string]any) error {
	data, err := json.Marshal(merge)
	if err != nil {
		return err
	}
	_, err = w.API.PatchAsClient(ref, types.MergePatchType, data, subresource)
	return err
}

func (w *World) unschedulable(node string, value any) error {
	return w.patch(engine.Ref{Kind: "Node", Name: node}, "", map[string]any{"spec": map[string]any{"unschedulable": value}})
}

func (w *World) delete(d *scenario.Delete) error {
	var opts metav1.DeleteOptions
	if d.GracePeriod != nil {
		seconds := int64(d.GracePeriod.Seconds())
		opts.GracePeriodSeconds = &seconds
	}
	if d.Propagation != "" {
		policy := metav1.DeletionPropagation(d.Propagation)
		opts.PropagationPolicy = &policy
	}
	return w.each(d, func(ref engine.Ref, _ map[string]any) error { return w.API.Delete(ref, opts) })
}

// each does something with the object of a name, or with all of a selector: at
// least one.
func (w *World) each(d *scenario.Delete, do func(engine.Ref, map[string]any) error) error {
	if d.Selector == "" {
		o, err := w.state.Get(engine.ParseKey(d.Kind, d.Name))
		if err != nil {
			return err
		}
		return do(o.Ref(), o.Content())
	}
	selector, err := labels.Parse(d.Selector)
	if err != nil {
		return err
	}
	found := 0
	for _, o := range w.state.List(d.Kind, "") {
		if selector.Matches(labels.Set(labelsOf(o.Content()))) {
			found++
			err = errors.Join(err, do(o.Ref(), o.Content()))
		}
	}
	if found == 0 {
		return fmt.Errorf("there is no %s with the labels %s", d.Kind, d.Selector)
	}
	return err
}

// evict asks for an eviction as kubectl drain does. KubeVirt's own admission
// denies it for the pod that a machine runs in (kubevirt-behaviour D.7); what
// KubeVirt does then, a migration for evacuation, is up to the story.
func (w *World) evict(d *scenario.Delete) error {
	return w.each(d, func(ref engine.Ref, content map[string]any) error {
		if vm := w.machineIn(content); vm != "" {
			return fmt.Errorf("429 TooManyRequests: KubeVirt's pod-eviction-admitter denies it: the machine %s runs in %s; migrate it instead", vm, ref)
		}
		return w.API.Evict(ref, metav1.DeleteOptions{})
	})
}

// machineIn is the instance that runs in a launcher pod, or "".
func (w *World) machineIn(pod map[string]any) string {
	uid := labelsOf(pod)["kubevirt.io/created-by"]
	node, _, _ := unstructured.NestedString(pod, "spec", "nodeName")
	for _, vmi := range w.state.List("VirtualMachineInstance", "") {
		on, _, _ := unstructured.NestedString(vmi.Content(), "status", "nodeName")
		if uid != "" && vmi.UID() == uid && node != "" && on == node {
			return vmi.Ref().Key()
		}
	}
	return ""
}

func labelsOf(content map[string]any) map[string]string {
	all, _, err := unstructured.NestedStringMap(content, "metadata", "labels")
	if err != nil {
		return nil // labels that are no text match nothing
	}
	return all
}
