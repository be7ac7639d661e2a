package apiserver

import (
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// decode gives the typed view. Parts that did not change since an earlier state
// (the spec, when a write was about the status) are taken from its view: views
// are shared and never modified, and decoding is the dearest part of a write.
// The error names the field that does not fit.
func (o *Object) decode() (runtime.Object, error) {
	if o.typed != nil {
		return o.typed, nil
	}
	if o.res.New == nil {
		return nil, fmt.Errorf("kind %s has no typed form", o.res.Kind)
	}
	typed := o.res.New()
	content, common := o.content, []int(nil)
	if o.base != nil && o.base.typed != nil {
		content, common = o.changedSince(o.base)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, typed); err != nil {
		return nil, err
	}
	for _, i := range common {
		reflect.ValueOf(typed).Elem().Field(i).Set(reflect.ValueOf(o.base.typed).Elem().Field(i))
	}
	o.typed, o.base = typed, nil
	return typed, nil
}

// changedSince splits the content into the fields that differ from an earlier
// state and the Go fields of those that are the very same.
func (o *Object) changedSince(base *Object) (changed map[string]any, common []int) {
	changed = make(map[string]any, len(o.content))
	for k, v := range o.content {
		if i, ok := o.res.parts[k]; ok && sameMap(v, base.content[k]) {
			common = append(common, i)
			continue
		}
		changed[k] = v
	}
	return changed, common
}

// typedParts are the Go fields of a kind that hold whole objects, by JSON name.
func typedParts(typed runtime.Object) map[string]int {
	parts := map[string]int{}
	t := reflect.TypeOf(typed).Elem()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "metadata" {
			parts[name] = i
		}
	}
	return parts
}

// fits checks that content decodes into the kind's Go type, as the real server
// checks the schema, so that typed views cannot fail later.
func (o *Object) fits() error {
	if o.res.New == nil {
		return nil
	}
	if _, err := o.decode(); err != nil {
		return badRequest("%s %q in version %q cannot be handled as a %s: %v", o.res.Kind, o.ref.Key(), o.res.Version, o.res.Kind, err)
	}
	return nil
}

// adopt takes over the typed view of the same content before it was written,
// which only the write's own fields tell apart.
func (o *Object) adopt(unsaved *Object) {
	view, ok := unsaved.typed.(metav1.Object)
	if !ok || o.typed != nil {
		return
	}
	generation, _ := integer(o.meta(), "generation")
	view.SetGeneration(generation)
	view.SetResourceVersion(text(o.meta(), "resourceVersion"))
	o.typed = unsaved.typed
}

// As gives the typed view of a revision: As[corev1.Pod](r). It is decoded once
// per revision and shared: never modify it. It panics if the kind has another
// type, or if the object's content does not fit the type.
func As[T any](r engine.Revision) *T {
	o, ok := r.(*Object)
	if !ok {
		panic(fmt.Sprintf("apiserver.As: want a revision of this server (*apiserver.Object), found %T", r))
	}
	typed, err := o.decode()
	if err != nil {
		panic(fmt.Sprintf("apiserver.As: %s at resourceVersion %d: %v", o.ref, o.version, err))
	}
	view, ok := typed.(any).(*T)
	if !ok {
		panic(fmt.Sprintf("apiserver.As: %s is a %T, not a %s", o.ref, typed, reflect.TypeFor[*T]()))
	}
	return view
}
