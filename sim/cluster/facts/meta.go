package facts

import (
	"slices"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// Meta is what all objects have.
type Meta struct {
	Revision engine.Revision
	Ref      engine.Ref
	UID      string
	// Deleting says that a deletionTimestamp is set.
	Deleting bool
	Created  time.Time
}

func metaOf(r engine.Revision) Meta {
	c := r.Content()
	return Meta{
		Revision: r,
		Ref:      r.Ref(),
		UID:      standin.String(c, "metadata", "uid"),
		Deleting: standin.String(c, "metadata", "deletionTimestamp") != "",
		Created:  standin.Time(c, "metadata", "creationTimestamp"),
	}
}

// Content is the object as decoded JSON; never modify it.
func (m *Meta) Content() map[string]any { return m.Revision.Content() }

// Key is "namespace/name", or "name".
func (m *Meta) Key() string { return m.Ref.Key() }

// Label is the value of a label; "" if it is not set.
func (m *Meta) Label(name string) string {
	return standin.String(m.Content(), "metadata", "labels", name)
}

// Annotation is the value of an annotation; "" if it is not set.
func (m *Meta) Annotation(name string) string {
	return standin.String(m.Content(), "metadata", "annotations", name)
}

// HasFinalizer tells whether a finalizer is set.
func (m *Meta) HasFinalizer(name string) bool {
	return slices.Contains(m.Finalizers(), any(name))
}

// An Owner is the controller that owns an object; the zero value if none does.
type Owner struct{ Kind, Name, UID string }

// OwnerOf reads the controller among an object's ownerReferences.
func OwnerOf(content map[string]any) Owner {
	for _, o := range standin.Items(content, "metadata", "ownerReferences") {
		if standin.Bool(o, "controller") {
			return Owner{standin.String(o, "kind"), standin.String(o, "name"), standin.String(o, "uid")}
		}
	}
	return Owner{}
}

// ControllerRef is an ownerReference that makes an object the controller of
// another.
func ControllerRef(apiVersion string, owner *Meta) map[string]any {
	return map[string]any{
		"apiVersion": apiVersion, "kind": owner.Ref.Kind, "name": owner.Ref.Name, "uid": owner.UID,
		"controller": true, "blockOwnerDeletion": true,
	}
}

// Finalizers are the object's finalizers as JSON has them; nil if there are none.
func (m *Meta) Finalizers() []any {
	list, _ := standin.Field(m.Content(), "metadata", "finalizers").([]any)
	return list
}

// WithoutFinalizer are the finalizers but one.
func (m *Meta) WithoutFinalizer(name string) []any {
	return slices.DeleteFunc(slices.Clone(m.Finalizers()), func(f any) bool { return f == name })
}

// Sibling is the key of another object in the same namespace.
func (m *Meta) Sibling(name string) string {
	return engine.Ref{Namespace: m.Ref.Namespace, Name: name}.Key()
}
