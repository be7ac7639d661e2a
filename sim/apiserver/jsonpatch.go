package apiserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// applyJSONPatch applies RFC 6902, directly to the content and several times
// faster than over bytes. It keeps the liberties of the library that
// kube-apiserver uses: "replace" of an absent member adds it, and indices may be
// negative. An operation that fails (a test, a missing path) gives 422, and the
// object stays as it was.
func applyJSONPatch(old *Object, data []byte) (map[string]any, error) {
	if !json.Valid(data) {
		return nil, apierrors.NewBadRequest("invalid JSON patch")
	}
	var ops []map[string]any
	if err := utiljson.Unmarshal(data, &ops); err != nil {
		return nil, badRequest("error decoding patch: %v", err)
	}
	if len(ops) > maxJSONPatchOperations {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
			"The allowed maximum operations in a JSON patch is %d, got %d", maxJSONPatchOperations, len(ops)))
	}
	var doc any = old.content
	for i, op := range ops {
		var err error
		if doc, err = applyOperation(doc, op); err != nil {
			return nil, unprocessable(fmt.Errorf("operation %d: %w", i, err))
		}
	}
	object, ok := doc.(map[string]any)
	if !ok {
		return nil, unprocessable(fmt.Errorf("the patch leaves a %T, want an object", doc))
	}
	return object, nil
}

// maxJSONPatchOperations is kube-apiserver's limit.
const maxJSONPatchOperations = 10_000

func unprocessable(err error) error {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
}

// An edit changes one member or element of a container, and gives the container
// that results, which is another one.
type edit func(container any, key string) (any, error)

func applyOperation(doc any, op map[string]any) (any, error) {
	path, ok := op["path"].(string)
	if !ok {
		return nil, fmt.Errorf("path: want a string, found %T", op["path"])
	}
	value := op["value"]
	switch op["op"] {
	case "add":
		return editAt(doc, path, adding(value))
	case "remove":
		return editAt(doc, path, removeMember)
	case "replace":
		if path == "" {
			return value, nil
		}
		return editAt(doc, path, replacing(value))
	case "test":
		return doc, testValue(doc, path, value)
	case "copy", "move":
		return transfer(doc, path, op)
	}
	return nil, fmt.Errorf("op: want add, remove, replace, test, copy or move, found %v", op["op"])
}

// transfer copies or moves a value within the document.
func transfer(doc any, path string, op map[string]any) (any, error) {
	from, ok := op["from"].(string)
	if !ok {
		return nil, fmt.Errorf("from: want a string, found %T", op["from"])
	}
	value, err := valueAt(doc, from)
	if err != nil {
		return nil, err
	}
	if op["op"] == "move" {
		if doc, err = editAt(doc, from, removeMember); err != nil {
			return nil, err
		}
	}
	return editAt(doc, path, adding(value))
}

func testValue(doc any, path string, want any) error {
	found := doc
	if path != "" {
		var err error
		if found, err = valueAt(doc, path); err != nil {
			return err
		}
	}
	if !equal(found, want, false) {
		return fmt.Errorf("test of %q failed", path)
	}
	return nil
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// editAt applies an edit at a JSON pointer, copying the containers on the way.
func editAt(doc any, pointer string, e edit) (any, error) {
	_, rest, ok := strings.Cut(pointer, "/")
	if !ok {
		return nil, fmt.Errorf("the document is missing path %q", pointer)
	}
	first, deeper, more := strings.Cut(rest, "/")
	key := pointerEscapes.Replace(first)
	if !more {
		return e(doc, key)
	}
	inner, err := member(doc, key)
	if err != nil {
		return nil, err
	}
	changed, err := editAt(inner, "/"+deeper, e)
	if err != nil {
		return nil, err
	}
	return replacing(changed)(doc, key)
}

func valueAt(doc any, pointer string) (value any, err error) {
	_, err = editAt(doc, pointer, func(container any, key string) (any, error) {
		value, err = member(container, key)
		return container, err
	})
	return value, err
}

// member reads one member, nil if an object has none, or one element.
func member(container any, key string) (any, error) {
	switch c := container.(type) {
	case map[string]any:
		return c[key], nil
	case []any:
		i, err := indexOf(key, len(c))
		if err != nil {
			return nil, err
		}
		return c[i], nil
	}
	return nil, fmt.Errorf("%q: want an object or a list around it, found %T", key, container)
}

func adding(value any) edit {
	return func(container any, key string) (any, error) {
		list, ok := container.([]any)
		if !ok {
			return replacing(value)(container, key)
		}
		if key == "-" {
			return append(slices.Clip(list), value), nil
		}
		i, err := indexOf(key, len(list)+1)
		if err != nil {
			return nil, err
		}
		return slices.Insert(slices.Clone(list), i, value), nil
	}
}

func replacing(value any) edit {
	return func(container any, key string) (any, error) {
		switch c := container.(type) {
		case map[string]any:
			copied := ensureMap(maps.Clone(c))
			copied[key] = value
			return copied, nil
		case []any:
			i, err := indexOf(key, len(c))
			if err != nil {
				return nil, err
			}
			copied := slices.Clone(c)
			copied[i] = value
			return copied, nil
		}
		return nil, fmt.Errorf("%q: want an object or a list around it, found %T", key, container)
	}
}

func removeMember(container any, key string) (any, error) {
	switch c := container.(type) {
	case map[string]any:
		if _, ok := c[key]; !ok {
			return nil, fmt.Errorf("%q is not there to be removed", key)
		}
		return with(c, key, nil), nil
	case []any:
		i, err := indexOf(key, len(c))
		if err != nil {
			return nil, err
		}
		return slices.Delete(slices.Clone(c), i, i+1), nil
	}
	return nil, fmt.Errorf("%q: want an object or a list around it, found %T", key, container)
}

// indexOf reads an index below limit; a negative one counts from the limit.
func indexOf(key string, limit int) (int, error) {
	i, err := strconv.Atoi(key)
	if err != nil {
		return 0, fmt.Errorf("%q is no index", key)
	}
	if i < 0 {
		i += limit
	}
	if i < 0 || i >= limit {
		return 0, fmt.Errorf("index %s is out of range: want one below %d", key, limit)
	}
	return i, nil
}
