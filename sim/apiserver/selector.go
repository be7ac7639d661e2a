package apiserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// A selection says which objects of a resource a list or watch covers.
type selection struct {
	namespace string
	labels    labels.Selector // nil for all
	fields    fields.Selector // nil for all
}

func newSelection(res *resource, namespace, labelSelector, fieldSelector string) (selection, error) {
	sel := selection{namespace: namespace}
	if labelSelector != "" {
		parsed, err := labels.Parse(labelSelector)
		if err != nil {
			return sel, apierrors.NewBadRequest(err.Error())
		}
		sel.labels = parsed
	}
	if fieldSelector == "" {
		return sel, nil
	}
	parsed, err := fields.ParseSelector(fieldSelector)
	if err != nil {
		return sel, badRequest("%v", err)
	}
	parsed, err = parsed.Transform(func(label, value string) (string, string, error) {
		return label, value, res.selectable(label)
	})
	if err != nil {
		return sel, badRequest("%v", err)
	}
	sel.fields = parsed
	return sel, nil
}

// selectable refuses fields that the kind cannot be selected by, in the words of
// kube-apiserver.
func (r *resource) selectable(label string) error {
	if label == "metadata.name" || label == "metadata.namespace" && r.Namespaced || slices.Contains(r.behaviour.fields, label) {
		return nil
	}
	if r.custom || len(r.behaviour.fields) > 0 {
		return fmt.Errorf("field label not supported: %s", label)
	}
	return fmt.Errorf("%q is not a known field selector: only %q, %q", label, "metadata.name", "metadata.namespace")
}

// everything says that the selection depends on the namespace alone.
func (sel selection) everything() bool { return sel.labels == nil && sel.fields == nil }

func (sel selection) matches(o *Object) bool {
	if sel.namespace != "" && sel.namespace != o.ref.Namespace {
		return false
	}
	if sel.labels != nil && !sel.labels.Matches(labelView(child(o.meta(), "labels"))) {
		return false
	}
	return sel.fields == nil || sel.fields.Matches(fieldView{o})
}

// labelView reads labels without converting them.
type labelView map[string]any

func (v labelView) Has(label string) bool   { _, ok := v[label]; return ok }
func (v labelView) Get(label string) string { return text(v, label) }

func (v labelView) Lookup(label string) (string, bool) {
	s, ok := v[label].(string)
	return s, ok
}

// fieldView reads fields by their path in the object.
type fieldView struct{ o *Object }

func (v fieldView) Has(string) bool { return true }

func (v fieldView) Get(path string) string {
	switch path {
	case "metadata.name":
		return v.o.ref.Name
	case "metadata.namespace":
		return v.o.ref.Namespace
	}
	m := v.o.content
	for {
		first, rest, more := strings.Cut(path, ".")
		if !more {
			return fieldText(path, m[first])
		}
		m, path = child(m, first), rest
	}
}

func fieldText(name string, v any) string {
	switch x := v.(type) {
	case string:
		return x
	case bool:
		return strconv.FormatBool(x)
	case nil:
		if name == "unschedulable" { // a bool that is left out when false
			return "false"
		}
	}
	return ""
}
