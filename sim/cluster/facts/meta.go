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
	list, _ := standin.Field(m.Content(), "metadata", "finalizers").([]any)
	return slices.Contains(list, any(name))
}

// Sibling is the key of another object in the same namespace.
func (m *Meta) Sibling(name string) string {
	return engine.Ref{Namespace: m.Ref.Namespace, Name: name}.Key()
}
