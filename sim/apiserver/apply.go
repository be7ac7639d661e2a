package apiserver

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// apply is server-side apply: data is the whole intent of one manager, and an
// object that is not there is created. The second result says that it was.
func (s *Server) apply(res *resource, ref engine.Ref, data []byte, w write) (*Object, bool, error) {
	if err := w.checkApply(); err != nil {
		return nil, false, err
	}
	intent, err := decodeIntent(data)
	if err != nil {
		return nil, false, err
	}
	old, err := s.find(res, ref, w.subresource)
	create := apierrors.IsNotFound(err) && w.subresource == "" && s.store(res).get(ref.Key()) == nil
	if err != nil && !create {
		return nil, false, err
	}
	before := map[string]any{"apiVersion": res.apiVersion, "kind": res.Kind, "metadata": map[string]any{}}
	if !create {
		before = s.managedState(old)
	}
	content, err := s.merged(res, before, intent, w)
	if err != nil {
		return nil, false, err
	}
	w.applied = true
	if !create {
		o, err := s.update(old, content, w)
		return o, false, err
	}
	if err := completeIdentity(content, ref); err != nil {
		return nil, false, err
	}
	o, err := s.create(res, content, w)
	return o, true, err
}

// checkApply refuses options that kube-apiserver refuses.
func (w write) checkApply() error {
	if w.manager != "" && w.named {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "PatchOptions"}, "",
		field.ErrorList{field.Required(field.NewPath("fieldManager"), "is required for apply patch")})
}

func decodeIntent(data []byte) (map[string]any, error) {
	converted, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, badRequest("error decoding YAML: %v", err)
	}
	return decodeObject(converted)
}

// merged gives the object with the intent applied, managedFields included.
func (s *Server) merged(res *resource, before, intent map[string]any, w write) (map[string]any, error) {
	manager := res.managers.of(w.subresource)
	live := unstructuredCopy(before)
	result, err := manager.Apply(live, &unstructured.Unstructured{Object: intent}, w.manager, w.force)
	if err != nil {
		return nil, applyError(err)
	}
	u, ok := result.(*unstructured.Unstructured)
	if !ok {
		return nil, apierrors.NewInternalError(errors.New("server-side apply gave no unstructured object"))
	}
	s.setManaged(child(u.Object, "metadata"), u, child(before, "metadata")["managedFields"])
	return u.Object, nil
}

// applyError keeps the errors that have a status, as a conflict has.
func applyError(err error) error {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return err
	}
	return apierrors.NewInternalError(err)
}

// completeIdentity gives an object that apply creates the name of its path.
func completeIdentity(content map[string]any, ref engine.Ref) error {
	meta := child(content, "metadata")
	if name := text(meta, "name"); name != "" && name != ref.Name {
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", name, ref.Name)
	}
	meta["name"] = ref.Name
	if ref.Namespace != "" && text(meta, "namespace") == "" {
		meta["namespace"] = ref.Namespace
	}
	if text(meta, "namespace") != ref.Namespace {
		return badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}
