package apiserver

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A Schema is what a CustomResourceDefinition says about the content of a kind.
// Package crd makes it. It is enforced on what comes over the wire and on what is
// loaded; stand-ins write Go types, and pay nothing for it.
type Schema interface {
	// Complete gives a copy of content without the fields that the schema does
	// not know, and with its defaults.
	Complete(content map[string]any) map[string]any
	// Validate says what is wrong with content that came through an endpoint
	// ("status" or ""); old is nil for a new object.
	Validate(content, old map[string]any, subresource string) field.ErrorList
	// Types converts content for server-side apply.
	Types() managedfields.TypeConverter
}

// completed is content as the schema of its kind wants it.
func (r *resource) completed(content map[string]any, w write) map[string]any {
	if r.Schema == nil || !w.wire {
		return content
	}
	return r.Schema.Complete(content)
}

// written is what an update of content through an endpoint may change, which is
// all that is worth completing: the rest is put back.
func (r *resource) written(content map[string]any, w write) map[string]any {
	if r.Schema == nil || !w.wire || !r.Status {
		return content
	}
	part := maps.Clone(content)
	if w.subresource == "" {
		delete(part, "status")
		return part
	}
	maps.DeleteFunc(part, func(name string, _ any) bool { return !slices.Contains(statusParts, name) })
	return part
}

// statusParts are the fields of an object that its status endpoint looks at.
var statusParts = []string{"apiVersion", "kind", "metadata", "status"}

func (r *resource) checkSchema(content, old map[string]any, w write) field.ErrorList {
	if r.Schema == nil || !w.wire {
		return nil
	}
	return r.Schema.Validate(content, old, w.subresource)
}
