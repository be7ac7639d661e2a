package apiserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var metadataPath = field.NewPath("metadata")

// own copies content as far as a write changes it: the object itself and its
// metadata, both filled in where the type is left out. Content of another kind is
// refused.
func (r *resource) own(content map[string]any) (object, meta map[string]any, err error) {
	if v := text(content, "apiVersion"); v != "" && v != r.apiVersion {
		return nil, nil, badRequest("the API version in the data (%s) does not match the expected API version (%s)", v, r.apiVersion)
	}
	if k := text(content, "kind"); k != "" && k != r.Kind && r.custom {
		return nil, nil, r.invalid(text(child(content, "metadata"), "name"), field.ErrorList{
			field.Invalid(field.NewPath("kind"), k, "must be "+r.Kind)})
	}
	if k := text(content, "kind"); k != "" && k != r.Kind {
		return nil, nil, badRequest("%s in version %q cannot be handled as a %s: the data is of kind %s", k, r.Version, r.Kind, k)
	}
	given, ok := content["metadata"].(map[string]any)
	if !ok && content["metadata"] != nil {
		return nil, nil, badRequest("metadata of a %s: want an object, found %T", r.Kind, content["metadata"])
	}
	object = make(map[string]any, len(content)+3)
	maps.Copy(object, content)
	meta = make(map[string]any, len(given)+5)
	maps.Copy(meta, given)
	object["apiVersion"], object["kind"], object["metadata"] = r.apiVersion, r.Kind, meta
	return object, meta, nil
}

// checkScope refuses a namespace where there is none, and the lack of one.
func (r *resource) checkScope(meta map[string]any) error {
	namespace := text(meta, "namespace")
	if r.Namespaced && namespace == "" {
		return badRequest("%s %q: metadata.namespace is missing; the kind is namespaced", r.Kind, text(meta, "name"))
	}
	if !r.Namespaced && namespace != "" {
		return badRequest("%s %q: metadata.namespace is %q; the kind has no namespaces", r.Kind, text(meta, "name"), namespace)
	}
	return nil
}

// checkName validates the name of a new object.
func (r *resource) checkName(meta map[string]any) field.ErrorList {
	name := text(meta, "name")
	if name == "" {
		return field.ErrorList{field.Required(metadataPath.Child("name"), "name or generateName is required")}
	}
	if r.Internal {
		return checkSegment("name", name)
	}
	var errs field.ErrorList
	for _, problem := range r.name(name, false) {
		errs = append(errs, field.Invalid(metadataPath.Child("name"), name, problem))
	}
	if namespace := text(meta, "namespace"); r.Namespaced {
		for _, problem := range validation.ValidateNamespaceName(namespace, false) {
			errs = append(errs, field.Invalid(metadataPath.Child("namespace"), namespace, problem))
		}
	}
	return errs
}

// checkSegment is all that is asked of names in tables of other systems: that a
// key can be told apart into its namespace and name.
func checkSegment(key, name string) field.ErrorList {
	if !strings.Contains(name, "/") {
		return nil
	}
	return field.ErrorList{field.Invalid(metadataPath.Child(key), name, "may not contain '/'")}
}

// checkMeta validates the parts of the metadata that differ from old, which is
// nil for a new object. The error for a value of the wrong type is a 400, as the
// real server cannot even decode it.
func (r *resource) checkMeta(meta, old map[string]any) (field.ErrorList, error) {
	var errs field.ErrorList
	for _, c := range []struct {
		key   string
		check func(map[string]string, *field.Path) field.ErrorList
	}{{"labels", validateLabels}, {"annotations", validation.ValidateAnnotations}} {
		if equal(meta[c.key], old[c.key], true) {
			continue
		}
		values, err := stringMap(meta, c.key)
		if err != nil {
			return nil, err
		}
		errs = append(errs, c.check(values, metadataPath.Child(c.key))...)
	}
	if !equal(meta["finalizers"], old["finalizers"], true) {
		more, err := r.checkFinalizers(meta, old)
		if err != nil {
			return nil, err
		}
		errs = append(errs, more...)
	}
	if !equal(meta["ownerReferences"], old["ownerReferences"], true) {
		owners, err := ownerReferences(meta)
		if err != nil {
			return nil, err
		}
		errs = append(errs, validation.ValidateOwnerReferences(owners, metadataPath.Child("ownerReferences"))...)
	}
	return errs, nil
}

func validateLabels(labels map[string]string, path *field.Path) field.ErrorList {
	return v1validation.ValidateLabels(labels, path)
}

func (r *resource) checkFinalizers(meta, old map[string]any) (field.ErrorList, error) {
	path := metadataPath.Child("finalizers")
	finalizers, err := stringList(meta, "finalizers")
	if err != nil {
		return nil, err
	}
	errs := validation.ValidateFinalizers(finalizers, path)
	for i, name := range finalizers {
		if !r.looseFinalizers && !strings.Contains(name, "/") && !standardFinalizers[name] {
			errs = append(errs, field.Invalid(path.Index(i), name, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	if old["deletionTimestamp"] == nil {
		return errs, nil
	}
	before, err := stringList(old, "finalizers")
	if err != nil {
		return nil, err
	}
	return append(errs, validation.ValidateNoNewFinalizers(finalizers, before, path)...), nil
}

var standardFinalizers = map[string]bool{"kubernetes": true,
	metav1.FinalizerOrphanDependents: true, metav1.FinalizerDeleteDependents: true}

func stringMap(meta map[string]any, key string) (map[string]string, error) {
	given, ok := meta[key].(map[string]any)
	if !ok && meta[key] != nil {
		return nil, badRequest("metadata.%s: want an object, found %T", key, meta[key])
	}
	values := make(map[string]string, len(given))
	for k, v := range given {
		s, ok := v.(string)
		if !ok {
			return nil, notString(key, given)
		}
		values[k] = s
	}
	return values, nil
}

// notString is about the first value that is no string: of several, always the
// same one.
func notString(key string, given map[string]any) error {
	for _, k := range slices.Sorted(maps.Keys(given)) {
		if _, ok := given[k].(string); !ok {
			return badRequest("metadata.%s[%q]: want a string, found %T", key, k, given[k])
		}
	}
	return nil
}

func stringList(meta map[string]any, key string) ([]string, error) {
	given, ok := meta[key].([]any)
	if !ok && meta[key] != nil {
		return nil, badRequest("metadata.%s: want a list, found %T", key, meta[key])
	}
	values := make([]string, 0, len(given))
	for i, v := range given {
		s, ok := v.(string)
		if !ok {
			return nil, badRequest("metadata.%s[%d]: want a string, found %T", key, i, v)
		}
		values = append(values, s)
	}
	return values, nil
}

func ownerReferences(meta map[string]any) ([]metav1.OwnerReference, error) {
	var typed metav1.PartialObjectMetadata
	content := map[string]any{"metadata": map[string]any{"ownerReferences": meta["ownerReferences"]}}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &typed); err != nil {
		return nil, badRequest("metadata.ownerReferences: %v", err)
	}
	return typed.OwnerReferences, nil
}

// invalid is a 422. The validation of labels goes over a map, so the errors are
// put in order.
func (r *resource) invalid(name string, errs field.ErrorList) error {
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Error(), b.Error()) })
	return apierrors.NewInvalid(r.gk, name, errs)
}

// pathSegment checks a name of the kinds that take all that can stand in a path;
// prefix says that more will be appended to it.
func pathSegment(name string, prefix bool) []string {
	if !prefix && (name == "." || name == "..") {
		return []string{fmt.Sprintf("may not be '%s'", name)}
	}
	var problems []string
	for _, illegal := range []string{"/", "%"} {
		if strings.Contains(name, illegal) {
			problems = append(problems, fmt.Sprintf("may not contain '%s'", illegal))
		}
	}
	return problems
}
