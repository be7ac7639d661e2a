package apiserver

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Who manages which field is known to few: it is asked for by server-side apply
// alone. So nothing is computed until an object is first applied; then what its
// managers did before is read out of the history. From there on every write of
// that object keeps metadata.managedFields.

// An author is who made a state of an object, as managedFields tell it.
type author struct {
	manager     string
	subresource string
}

// directManager is the manager of writes that came over no wire.
const directManager = "cluster"

func (w write) author() author {
	if w.manager == "" {
		return author{directManager, w.subresource}
	}
	return author{w.manager, w.subresource}
}

// A fieldManagers makes the field managers of a resource when they are needed:
// they hold its whole schema.
type fieldManagers struct {
	types        func() managedfields.TypeConverter
	main, status func() *managedfields.FieldManager
}

func newFieldManagers(res *resource) fieldManagers {
	m := fieldManagers{types: builtinTypes}
	if res.custom {
		m.types = sync.OnceValue(func() managedfields.TypeConverter { return customTypes(res) })
	}
	of := func(subresource string) func() *managedfields.FieldManager {
		return sync.OnceValue(func() *managedfields.FieldManager { return newFieldManager(res, m.types(), subresource) })
	}
	m.main, m.status = of(""), of("status")
	return m
}

func (m fieldManagers) of(subresource string) *managedfields.FieldManager {
	if subresource == "status" {
		return m.status()
	}
	return m.main()
}

var builtinTypes = sync.OnceValue(func() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(kinds())
})

// customTypes uses the schema of a custom resource, and without one takes all
// its lists for atomic, as the real server does.
func customTypes(res *resource) managedfields.TypeConverter {
	if res.Schema == nil {
		return managedfields.NewDeducedTypeConverter()
	}
	return res.Schema.Types()
}

func newFieldManager(res *resource, types managedfields.TypeConverter, subresource string) *managedfields.FieldManager {
	create := managedfields.NewDefaultFieldManager
	if res.custom {
		create = managedfields.NewDefaultCRDFieldManager
	}
	gvk := res.gk.WithVersion(res.Version)
	m, err := create(types, asIs{}, asIs{}, asIs{}, gvk, gvk.GroupVersion(), subresource, res.resetFields(subresource))
	if err != nil {
		panic("apiserver: field manager of " + res.gr.String() + ": " + err.Error())
	}
	return m
}

// resetFields are what a write through an endpoint cannot set, so its sender
// does not manage it either.
func (r *resource) resetFields(subresource string) map[fieldpath.APIVersion]fieldpath.Filter {
	var reset *fieldpath.Set
	switch {
	case subresource == "status" && r.custom:
		reset = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
	case subresource == "status" && r.graceful:
		reset = fieldpath.NewSet(fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata", "deletionTimestamp"),
			fieldpath.MakePathOrDie("metadata", "ownerReferences"))
	case subresource == "status":
		reset = fieldpath.NewSet(fieldpath.MakePathOrDie("spec"))
	case r.Status:
		reset = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
	default:
		return nil
	}
	return fieldpath.NewExcludeFilterSetMap(map[fieldpath.APIVersion]*fieldpath.Set{fieldpath.APIVersion(r.apiVersion): reset})
}

// asIs does not convert, default or type objects: each kind has one version
// here, and content is what its JSON decodes to.
type asIs struct{}

func (asIs) Convert(_, _, _ any) error { return nil }
func (asIs) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}
func (asIs) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}
func (asIs) Default(runtime.Object) {}
func (asIs) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u, nil
}

// manage tracks what a write that is no apply changed, and writes it into the
// metadata of next, which is not shared yet. Objects that nobody ever applied are
// left alone.
func (s *Server) manage(next, old *Object, w write) {
	if w.applied {
		return
	}
	meta := next.meta()
	given, isSet := meta["managedFields"].([]any)
	before := old.meta()["managedFields"]
	delete(meta, "managedFields")
	if before == nil {
		return
	}
	if w.subresource == "" && isSet && isReset(given) {
		return
	}
	live, changed := unstructuredCopy(old.content), unstructuredCopy(next.content)
	managed := old.res.managers.of(w.subresource).UpdateNoErrors(live, changed, w.author().manager)
	s.setManaged(meta, managed, before)
}

// isReset says that a client wants the tracking to start anew: the list has no
// entry, or one that is empty.
func isReset(list []any) bool {
	if len(list) == 0 {
		return true
	}
	only, _ := list[0].(map[string]any)
	return len(list) == 1 && len(only) == 0
}

func unstructuredCopy(content map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}
}

// setManaged takes over the managedFields that the library computed, but not its
// clock: entries that are as they were keep their time, others get the server's.
func (s *Server) setManaged(meta map[string]any, managed runtime.Object, before any) {
	u, ok := managed.(*unstructured.Unstructured)
	if !ok {
		return
	}
	list, _ := child(u.Object, "metadata")["managedFields"].([]any)
	if len(list) == 0 {
		delete(meta, "managedFields")
		return
	}
	known, _ := before.([]any)
	timed := make([]any, 0, len(list))
	for _, e := range list {
		entry := maps.Clone(e.(map[string]any))
		entry["time"] = s.timeOf(entry, known)
		timed = append(timed, entry)
	}
	meta["managedFields"] = timed
}

func (s *Server) timeOf(entry map[string]any, known []any) any {
	for _, k := range known {
		before, _ := k.(map[string]any)
		if equal(with(before, "time", nil), with(entry, "time", nil), false) && before["time"] != nil {
			return before["time"]
		}
	}
	return s.now()
}

// managedState is an object with the managedFields that its history gives, if it
// does not have them yet.
func (s *Server) managedState(o *Object) map[string]any {
	if o.meta()["managedFields"] != nil {
		return o.content
	}
	past, whole := s.store(o.res).lineage(o)
	if !whole {
		// The library then takes all fields for those of "before-first-apply".
		return o.content
	}
	var fields any
	live := o.res.nothing()
	for _, state := range past {
		if state.by.manager == "" {
			live = with(state.content, "metadata", with(state.meta(), "managedFields", fields))
			continue
		}
		next := &unstructured.Unstructured{Object: o.res.asSent(state.content)}
		managed := o.res.managers.of(state.by.subresource).UpdateNoErrors(unstructuredCopy(live), next, state.by.manager)
		meta := maps.Clone(state.meta())
		s.setManaged(meta, managed, fields)
		stampTimes(meta, fields, state.written.UTC().Truncate(time.Second).Format(time.RFC3339))
		fields = meta["managedFields"]
		live = with(state.content, "metadata", meta)
	}
	return with(o.content, "metadata", with(o.meta(), "managedFields", fields))
}

// nothing is what an object that is not there compares to. Of a built-in kind it
// is the empty Go value, whose spec is there already, so nobody owns it.
func (r *resource) nothing() map[string]any {
	if r.custom || r.New == nil {
		return map[string]any{"apiVersion": r.apiVersion, "kind": r.Kind, "metadata": map[string]any{}}
	}
	return ToContent(r.New())
}

// asSent is a copy of content without what the server itself put in.
func (r *resource) asSent(content map[string]any) map[string]any {
	sent := runtime.DeepCopyJSON(content)
	spec := child(sent, "spec")
	for _, key := range r.given {
		delete(spec, key)
	}
	return sent
}

// stampTimes dates the entries that a past write changed.
func stampTimes(meta map[string]any, before any, written string) {
	list, _ := meta["managedFields"].([]any)
	known, _ := before.([]any)
	for _, e := range list {
		entry, _ := e.(map[string]any)
		if !hasEntry(known, entry) {
			entry["time"] = written
		}
	}
}

func hasEntry(known []any, entry map[string]any) bool {
	for _, k := range known {
		before, _ := k.(map[string]any)
		if equal(before, entry, false) {
			return true
		}
	}
	return false
}

// lineage gives the states that an object went through, from its creation on;
// whole is false if the history does not go back that far.
func (s *store) lineage(o *Object) (states []*Object, whole bool) {
	for _, r := range slices.Backward(s.log) {
		if r.object.key != o.key {
			continue
		}
		states = append(states, r.object)
		if r.previous == nil {
			slices.Reverse(states)
			return states, true
		}
	}
	return nil, false
}
