package apiserver

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// podSpecMutable are the fields of a pod's spec that an update may change
// (kube-apiserver's ValidatePodUpdate); the images of containers may too.
var podSpecMutable = []string{"activeDeadlineSeconds", "schedulingGates", "tolerations"}

// podSpecGated are those that may change while a scheduling gate is there.
var podSpecGated = []string{"affinity", "nodeSelector"}

const podSpecRule = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
	"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"

// checkSpec refuses changes of a pod's spec that need another pod. In
// particular, a pod is placed by its binding, not by an update of its nodeName.
func checkSpec(next, old *Object) field.ErrorList {
	if old.content["immutable"] == true {
		return checkImmutable(next, old)
	}
	if !old.res.graceful {
		return nil
	}
	before, after := child(old.content, "spec"), child(next.content, "spec")
	if equal(before, after, true) {
		return nil
	}
	gates, _ := before["schedulingGates"].([]any)
	if equal(podSpecFixed(before, len(gates) > 0), podSpecFixed(after, len(gates) > 0), true) {
		return nil
	}
	if !typedSpecDiffers(next, old) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec"), podSpecRule)}
}

// podSpecFixed is a spec without the fields that may change.
func podSpecFixed(spec map[string]any, gated bool) map[string]any {
	fixed := with(spec, "", nil)
	for _, key := range podSpecMutable {
		delete(fixed, key)
	}
	for _, key := range podSpecGated {
		if gated {
			delete(fixed, key)
		}
	}
	for _, key := range []string{"containers", "initContainers"} {
		set(fixed, key, withoutImages(fixed[key]))
	}
	return fixed
}

func withoutImages(containers any) any {
	list, ok := containers.([]any)
	if !ok {
		return containers
	}
	bare := make([]any, 0, len(list))
	for _, c := range list {
		if m, ok := c.(map[string]any); ok {
			c = with(m, "image", nil)
		}
		bare = append(bare, c)
	}
	return bare
}

// checkImmutable guards config maps and secrets that say that they are immutable.
func checkImmutable(next, old *Object) field.ErrorList {
	if old.res.Group != "" || old.res.Kind != "ConfigMap" && old.res.Kind != "Secret" {
		return nil
	}
	var errs field.ErrorList
	for _, key := range []string{"immutable", "data", "binaryData"} {
		if !equal(next.content[key], old.content[key], true) {
			errs = append(errs, field.Forbidden(field.NewPath(key), "field is immutable when `immutable` is set"))
		}
	}
	return errs
}
