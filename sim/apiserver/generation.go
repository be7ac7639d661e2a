package apiserver

import (
	"reflect"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// raiseGeneration counts a change of what the user wants. For custom resources
// that is anything but the metadata (and the status, where it is isolated); so
// every write of the status of a VirtualMachineInstance counts. For built-in
// kinds it is the spec.
func raiseGeneration(next, old *Object) {
	if !next.res.Generation || !wantsOther(next, old) {
		return
	}
	generation, _ := integer(old.meta(), "generation")
	next.meta()["generation"] = generation + 1
}

func wantsOther(next, old *Object) bool {
	if !next.res.custom {
		return !equal(next.content["spec"], old.content["spec"], true) && typedSpecDiffers(next, old)
	}
	isolated := next.res.Status
	return differsBesideMetadata(next.content, old.content, isolated) || differsBesideMetadata(old.content, next.content, isolated)
}

func differsBesideMetadata(a, b map[string]any, isolated bool) bool {
	for k, v := range a {
		if k == "metadata" || k == "status" && isolated {
			continue
		}
		if other, ok := b[k]; !ok || !equal(v, other, false) {
			return true
		}
	}
	return false
}

// typedSpecDiffers decides by Go types, as kube-apiserver does for built-in
// kinds: an update by a typed client drops unknown fields and writes quantities
// and empty values in another way, and means no change by that.
func typedSpecDiffers(next, old *Object) bool {
	before, err := old.decode()
	if err != nil {
		return true
	}
	after, err := next.decode()
	if err != nil {
		return true
	}
	a, b := reflect.ValueOf(before).Elem().FieldByName("Spec"), reflect.ValueOf(after).Elem().FieldByName("Spec")
	return !a.IsValid() || !apiequality.Semantic.DeepEqual(a.Interface(), b.Interface())
}
