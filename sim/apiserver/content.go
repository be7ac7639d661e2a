package apiserver

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
)

// Helpers over decoded JSON: map[string]any, []any, string, bool, int64, float64
// and nil. All of it is shared between revisions, so none of them modifies what
// it is given; with copies the maps on the way to what changes.

func child(m map[string]any, key string) map[string]any {
	c, _ := m[key].(map[string]any)
	return c
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

func integer(m map[string]any, key string) (n int64, ok bool) {
	switch v := m[key].(type) {
	case int64:
		return v, true
	case float64:
		return int64(v), v == math.Trunc(v)
	}
	return 0, false
}

// with gives a copy of m in which key has a value; nil removes the key.
func with(m map[string]any, key string, value any) map[string]any {
	c := make(map[string]any, len(m)+1)
	maps.Copy(c, m)
	set(c, key, value)
	return c
}

// set changes m, which must not be shared yet; nil removes the key.
func set(m map[string]any, key string, value any) {
	if value == nil {
		delete(m, key)
		return
	}
	m[key] = value
}

// ensureMap replaces a nil map, so that the untyped nil is never stored.
func ensureMap(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// equal compares decoded JSON. In content of built-in kinds (lenient) a null,
// an empty list and an absent field are the same, as they are once decoded into
// a Go struct.
func equal(a, b any, lenient bool) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && equalMaps(x, y, lenient)
	case []any:
		y, ok := b.([]any)
		return ok && equalLists(x, y, lenient)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// same says that two values are one: the same map or list, or equal scalars. It
// looks no deeper.
func same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && reflect.ValueOf(x).Pointer() == reflect.ValueOf(y).Pointer()
	case []any:
		y, ok := b.([]any)
		return ok && len(x) == len(y) && reflect.ValueOf(x).Pointer() == reflect.ValueOf(y).Pointer()
	}
	return equal(a, b, false)
}

// share replaces the objects and lists in next that equal those in old by them,
// so that later comparisons and typed views cost nothing where nothing changed.
func share(next, old map[string]any) {
	for k, v := range next {
		if before := old[k]; before != nil && equal(v, before, false) {
			next[k] = before
		}
	}
}

func equalMaps(a, b map[string]any, lenient bool) bool {
	if same(a, b) {
		return true
	}
	if !lenient && len(a) != len(b) {
		return false
	}
	for k, x := range a {
		y, ok := b[k]
		if !ok && !(lenient && absent(x)) {
			return false
		}
		if ok && !equal(x, y, lenient) && !(lenient && absent(x) && absent(y)) {
			return false
		}
	}
	if !lenient {
		return true
	}
	for k, y := range b {
		if _, ok := a[k]; !ok && !absent(y) {
			return false
		}
	}
	return true
}

func equalLists(a, b []any, lenient bool) bool {
	if len(a) != len(b) {
		return false
	}
	if same(a, b) {
		return true
	}
	for i := range a {
		if !equal(a[i], b[i], lenient) {
			return false
		}
	}
	return true
}

func absent(v any) bool {
	list, ok := v.([]any)
	return v == nil || ok && len(list) == 0
}

// isJSON says whether a value is decoded JSON all the way down: no int, for
// example, and no map[string]string.
func isJSON(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for _, e := range x {
			if !isJSON(e) {
				return false
			}
		}
		return true
	case []any:
		return !slices.ContainsFunc(x, func(e any) bool { return !isJSON(e) })
	case float64:
		return !math.IsNaN(x) && !math.IsInf(x, 0)
	case nil, string, bool, int64:
		return true
	}
	return false
}

// whyNotJSON says where the first value is that decoded JSON cannot hold.
func whyNotJSON(path string, v any) string {
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if !isJSON(x[k]) {
				return whyNotJSON(path+"."+k, x[k])
			}
		}
	case []any:
		i := slices.IndexFunc(x, func(e any) bool { return !isJSON(e) })
		return whyNotJSON(fmt.Sprintf("%s[%d]", path, i), x[i])
	case float64:
		return fmt.Sprintf("%s is %v, which JSON cannot hold", path, x)
	}
	return fmt.Sprintf("%s is a %T: content must be decoded JSON (map[string]any, []any, string, bool, int64, float64, nil); ToContent makes it from a typed object", path, v)
}
