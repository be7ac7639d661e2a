package apiserver

import (
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Bind places a pod on a node, as pods/binding does: it sets spec.nodeName and
// the condition PodScheduled. A pod that is placed already, or being deleted,
// gives a conflict. Whether the node exists is not looked at.
func (s *Server) Bind(pod engine.Ref, node string) error {
	return s.bind(pod, binding{node: node})
}

type binding struct {
	node        string
	uid         string // precondition, if set
	annotations map[string]any
}

var bindingResource = schema.GroupResource{Resource: "pods/binding"}

func (s *Server) bind(ref engine.Ref, b binding) error {
	res, err := s.kind("Pod")
	if err != nil {
		return err
	}
	pod := s.store(res).get(ref.Key())
	if pod == nil {
		return notFound(res, ref.Name)
	}
	if err := checkBinding(pod, b); err != nil {
		return err
	}
	meta := maps.Clone(pod.meta())
	if len(b.annotations) > 0 {
		meta["annotations"] = merge(child(meta, "annotations"), b.annotations)
	}
	next := with(pod.content, "metadata", meta)
	next["spec"] = with(child(pod.content, "spec"), "nodeName", b.node)
	next["status"] = s.withCondition(child(pod.content, "status"), "PodScheduled", "True")
	s.write(res, pod, next)
	return nil
}

func checkBinding(pod *Object, b binding) error {
	if b.node == "" {
		return plainError(field.Required(field.NewPath("target", "name"), "").Error())
	}
	refuse := func(format string, args ...any) error {
		return apierrors.NewConflict(bindingResource, pod.ref.Name, fmt.Errorf(format, args...))
	}
	spec := child(pod.content, "spec")
	gates, _ := spec["schedulingGates"].([]any)
	switch node := text(spec, "nodeName"); {
	case b.uid != "" && b.uid != pod.UID():
		return refuse("Precondition failed: UID in precondition: %s, UID in object meta: %s", b.uid, pod.UID())
	case pod.meta()["deletionTimestamp"] != nil:
		return refuse("pod %s is being deleted, cannot be assigned to a host", pod.ref.Name)
	case node != "":
		return refuse("pod %s is already assigned to node %q", pod.ref.Name, node)
	case len(gates) > 0:
		return refuse("pod %s has non-empty .spec.schedulingGates", pod.ref.Name)
	}
	return nil
}

// withCondition gives a status in which a condition has a value. The time of the
// transition changes only if the value does.
func (s *Server) withCondition(status map[string]any, conditionType, value string) map[string]any {
	old, _ := status["conditions"].([]any)
	conditions := make([]any, 0, len(old)+1)
	fresh := map[string]any{"type": conditionType, "status": value,
		"lastProbeTime": nil, "lastTransitionTime": s.now()}
	found := false
	for _, c := range old {
		condition, _ := c.(map[string]any)
		if text(condition, "type") != conditionType {
			conditions = append(conditions, c)
			continue
		}
		found = true
		if text(condition, "status") == value && condition["lastTransitionTime"] != nil {
			fresh["lastTransitionTime"] = condition["lastTransitionTime"]
		}
		conditions = append(conditions, fresh)
	}
	if !found {
		conditions = append(conditions, fresh)
	}
	return with(status, "conditions", conditions)
}

// tellGates says of a new pod with scheduling gates why it is not scheduled.
func (s *Server) tellGates(pod map[string]any) {
	gates, _ := child(pod, "spec")["schedulingGates"].([]any)
	if len(gates) == 0 {
		return
	}
	child(pod, "status")["conditions"] = []any{map[string]any{"type": "PodScheduled", "status": "False",
		"reason": "SchedulingGated", "message": "Scheduling is blocked due to non-empty scheduling gates",
		"lastProbeTime": nil, "lastTransitionTime": s.now()}}
}
