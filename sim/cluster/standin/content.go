package standin

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

// The functions below read decoded JSON. A field that is missing, or of another
// type, reads as the zero value: the API server has validated what it stores.

// Field is the value at a path, or nil.
func Field(content map[string]any, path ...string) any {
	var v any = content
	for _, name := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

// String is the string at a path.
func String(content map[string]any, path ...string) string {
	s, _ := Field(content, path...).(string)
	return s
}

// Bool is the boolean at a path.
func Bool(content map[string]any, path ...string) bool {
	b, _ := Field(content, path...).(bool)
	return b
}

// Map is the object at a path.
func Map(content map[string]any, path ...string) map[string]any {
	m, _ := Field(content, path...).(map[string]any)
	return m
}

// Items are the objects of the list at a path.
func Items(content map[string]any, path ...string) []map[string]any {
	list, _ := Field(content, path...).([]any)
	items := make([]map[string]any, 0, len(list))
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			items = append(items, m)
		}
	}
	return items
}

// Int is the whole number at a path, and whether there is one.
func Int(content map[string]any, path ...string) (int64, bool) {
	switch n := Field(content, path...).(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), true
	}
	return 0, false
}

// Time is the timestamp at a path; the zero time if there is none.
func Time(content map[string]any, path ...string) time.Time {
	t, _ := time.Parse(time.RFC3339, String(content, path...))
	return t
}

// Timestamp writes an instant as API objects do: UTC, whole seconds.
func Timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Edit copies an object so that Set and Remove may change the copy. Metadata,
// where the API server writes too, is copied in depth; all else is shared with
// the original until it is set.
func Edit(content map[string]any) map[string]any {
	c := maps.Clone(content)
	if meta, ok := content["metadata"].(map[string]any); ok {
		c["metadata"] = runtime.DeepCopyJSON(meta)
	}
	return c
}

// Set puts a value at a path of an edited object, copying the maps on the way.
func Set(content map[string]any, value any, path ...string) {
	last := len(path) - 1
	for _, name := range path[:last] {
		content = own(content, name)
	}
	content[path[last]] = value
}

// Remove takes the field at a path out of an edited object.
func Remove(content map[string]any, path ...string) {
	last := len(path) - 1
	if Field(content, path...) == nil {
		return
	}
	for _, name := range path[:last] {
		content = own(content, name)
	}
	delete(content, path[last])
}

func own(m map[string]any, name string) map[string]any {
	child, _ := m[name].(map[string]any)
	c := make(map[string]any, len(child)+1)
	maps.Copy(c, child)
	m[name] = c
	return c
}

// Equal compares decoded JSON.
func Equal(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, Equal)
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, Equal)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}
