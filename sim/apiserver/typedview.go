package apiserver

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

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
	content, common := o.content, []part(nil)
	if o.base != nil && o.base.typed != nil {
		content, common = o.changedSince(o.base)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, typed); err != nil {
		return nil, err
	}
	if common != nil {
		to, from := reflect.ValueOf(typed).Elem(), reflect.ValueOf(o.base.typed).Elem()
		for _, p := range common {
			to.FieldByIndex(p).Set(from.FieldByIndex(p))
		}
	}
	o.typed, o.base = typed, nil
	return typed, nil
}

// A part is one Go field of a kind's type, as reflect.Value.FieldByIndex takes it.
type part []int

// parts are the Go fields of a kind that can be taken over from another view,
// by JSON name: those of the object and those of its metadata.
type parts struct{ object, meta map[string]part }

func newParts(typed runtime.Object) parts {
	t := reflect.TypeOf(typed).Elem()
	p := parts{object: fieldsOf(t, nil)}
	if meta, ok := t.FieldByName("ObjectMeta"); ok {
		p.meta = fieldsOf(meta.Type, meta.Index)
	}
	delete(p.object, "metadata")
	return p
}

func fieldsOf(t reflect.Type, at part) map[string]part {
	fields := map[string]part{}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" {
			fields[name] = append(slices.Clip(at), i)
		}
	}
	return fields
}

// changedSince splits the content into the fields that differ from an earlier
// state and the Go fields of those that are the very same.
func (o *Object) changedSince(base *Object) (changed map[string]any, common []part) {
	common = make([]part, 0, 16)
	changed, common = split(o.content, base.content, o.res.parts.object, common)
	if meta := o.meta(); meta != nil {
		changed["metadata"], common = split(meta, base.meta(), o.res.parts.meta, common)
	}
	return changed, common
}

func split(now, before map[string]any, fields map[string]part, common []part) (map[string]any, []part) {
	changed := make(map[string]any, 4)
	for k, v := range now {
		if p := fields[k]; p != nil && same(v, before[k]) {
			common = append(common, p)
			continue
		}
		changed[k] = v
	}
	return changed, common
}

// fits checks that content decodes into the kind's Go type, as the real server
// checks the schema, so that typed views cannot fail later.
func (o *Object) fits() error {
	if o.res.New == nil {
		return nil
	}
	_, err := o.decode()
	if err == nil {
		return nil
	}
	// The decoder of JSON names the field, and of several always the same one.
	if named := utiljson.Unmarshal(o.JSON(), o.res.New()); named != nil {
		err = named
	}
	return badRequest("%s %q in version %q cannot be handled as a %s: %v", o.res.Kind, o.ref.Key(), o.res.Version, o.res.Kind, err)
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
