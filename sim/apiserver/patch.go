package apiserver

import (
	"encoding/json"
	"maps"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A patcher applies one type of patch and gives the object that results. It
// modifies nothing that it is given.
type patcher func(old *Object, data []byte) (map[string]any, error)

// patchers are the patch types that the server takes; all others get 415.
var patchers = map[types.PatchType]patcher{
	types.JSONPatchType:           applyJSONPatch,
	types.MergePatchType:          applyMergePatch,
	types.StrategicMergePatchType: applyStrategicPatch,
}

// Patch changes a part of an object, or of its subresource ("status"). Server-side
// apply creates an object that is not there.
func (s *Server) Patch(ref engine.Ref, pt types.PatchType, data []byte, subresource string) (*Object, error) {
	res, err := s.kind(ref.Kind)
	if err != nil {
		return nil, err
	}
	o, _, err := s.patch(res, ref, pt, data, write{subresource: subresource, manager: directManager, named: true})
	return o, err
}

// PatchAsClient is Patch as in a client's request: the kind's schema is enforced.
func (s *Server) PatchAsClient(ref engine.Ref, pt types.PatchType, data []byte, subresource string) (*Object, error) {
	res, err := s.kind(ref.Kind)
	if err != nil {
		return nil, err
	}
	o, _, err := s.patch(res, ref, pt, data, write{subresource: subresource, manager: directManager, named: true, wire: true})
	return o, err
}

// patch also says whether the object was created.
func (s *Server) patch(res *resource, ref engine.Ref, pt types.PatchType, data []byte, w write) (o *Object, created bool, err error) {
	if pt == types.ApplyPatchType || pt == applyJSONType {
		return s.apply(res, ref, data, w)
	}
	apply := patchers[pt]
	if apply == nil || pt == types.StrategicMergePatchType && res.custom {
		return nil, false, unsupportedPatchType(res)
	}
	old, err := s.find(res, ref, w.subresource)
	if err != nil {
		return nil, false, err
	}
	content, err := apply(old, data)
	if err != nil {
		return nil, false, err
	}
	o, err = s.update(old, content, w)
	return o, false, err
}

// applyJSONType is server-side apply with a body in JSON, which YAML includes.
const applyJSONType types.PatchType = "application/apply-patch+json"

// unsupportedPatchType is a 415; built-in kinds say less in it.
func unsupportedPatchType(res *resource) error {
	if res.custom {
		return unsupportedMediaType(patchTypes(res))
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType,
		Reason: metav1.StatusReasonUnsupportedMediaType, Message: "415: Unsupported Media Type",
	}}
}

// patchTypes are those that a kind takes, in the order of kube-apiserver.
func patchTypes(res *resource) []string {
	accepted := []string{string(types.JSONPatchType), string(types.MergePatchType)}
	if !res.custom {
		accepted = append(accepted, string(types.StrategicMergePatchType))
	}
	return append(accepted, string(types.ApplyPatchType))
}

// applyMergePatch applies RFC 7386.
func applyMergePatch(old *Object, data []byte) (map[string]any, error) {
	if !json.Valid(data) {
		return nil, apierrors.NewBadRequest("invalid JSON patch")
	}
	patch, err := decodePatch(data)
	if err != nil {
		return nil, err
	}
	return merge(old.content, patch), nil
}

func decodePatch(data []byte) (map[string]any, error) {
	var patch map[string]any
	if err := utiljson.Unmarshal(data, &patch); err != nil {
		return nil, badRequest("error decoding patch: %v", err)
	}
	return patch, nil
}

// merge gives target changed by patch, sharing what stays the same.
func merge(target, patch map[string]any) map[string]any {
	merged := make(map[string]any, len(target)+len(patch))
	maps.Copy(merged, target)
	for k, v := range patch {
		inner, ok := v.(map[string]any)
		switch {
		case v == nil:
			delete(merged, k)
		case ok:
			merged[k] = merge(child(target, k), inner)
		default:
			merged[k] = v
		}
	}
	return merged
}
