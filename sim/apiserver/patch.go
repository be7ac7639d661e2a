package apiserver

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A patcher applies one type of patch and gives the object that results. It
// modifies nothing that it is given.
type patcher func(old *Object, data []byte) (map[string]any, error)

// patchers are the patch types that the server takes; all others get 415.
var patchers = map[types.PatchType]patcher{
	types.JSONPatchType:  applyJSONPatch,
	types.MergePatchType: applyMergePatch,
}

// Patch changes a part of an object, or of its subresource ("status").
func (s *Server) Patch(ref engine.Ref, pt types.PatchType, data []byte, subresource string) (*Object, error) {
	res, err := s.kind(ref.Kind)
	if err != nil {
		return nil, err
	}
	return s.patch(res, ref, pt, data, write{subresource: subresource})
}

func (s *Server) patch(res *resource, ref engine.Ref, pt types.PatchType, data []byte, w write) (*Object, error) {
	apply := patchers[pt]
	if apply == nil {
		return nil, unsupportedMediaType(patchTypes())
	}
	old, err := s.find(res, ref, w.subresource)
	if err != nil {
		return nil, err
	}
	content, err := apply(old, data)
	if err != nil {
		return nil, err
	}
	return s.update(old, content, w)
}

func patchTypes() []string {
	var accepted []string
	for _, pt := range slices.Sorted(maps.Keys(patchers)) {
		accepted = append(accepted, string(pt))
	}
	return accepted
}

// applyMergePatch applies RFC 7386.
func applyMergePatch(old *Object, data []byte) (map[string]any, error) {
	var patch map[string]any
	if err := utiljson.Unmarshal(data, &patch); err != nil {
		return nil, badRequest("error decoding patch: %v", err)
	}
	return merge(old.content, patch), nil
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
