package standin

import (
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// Status is the subresource of most status writes.
const Status = "status"

// Create writes a new object. With generateName the point shows the prefix.
func (s *StandIn) Create(ref engine.Ref, content map[string]any) Write {
	return Write{Verb: "create", Ref: ref, Do: func(*apiserver.Object) (*apiserver.Object, error) {
		return s.API.Create(content)
	}}
}

// Update writes an object as a whole. It fails with Conflict if the object
// changed since the revision that content was made from.
func (s *StandIn) Update(ref engine.Ref, content map[string]any, subresource string) Write {
	return Write{Verb: "update", Ref: ref, Detail: subresource, Do: func(*apiserver.Object) (*apiserver.Object, error) {
		return s.API.Update(content, subresource)
	}}
}

// UpdateNext is Update of what the write before it in the plan returned, as
// change leaves it.
func (s *StandIn) UpdateNext(ref engine.Ref, subresource string, change func(content map[string]any)) Write {
	return Write{Verb: "update", Ref: ref, Detail: subresource, Do: func(previous *apiserver.Object) (*apiserver.Object, error) {
		content := Edit(previous.Content())
		change(content)
		return s.API.Update(content, subresource)
	}}
}

// PatchJSON writes a JSON patch (RFC 6902).
func (s *StandIn) PatchJSON(ref engine.Ref, ops []Op, subresource string) Write {
	return s.patch(ref, types.JSONPatchType, ops, subresource)
}

// PatchMerge writes a JSON merge patch (RFC 7386).
func (s *StandIn) PatchMerge(ref engine.Ref, patch map[string]any, subresource string) Write {
	return s.patch(ref, types.MergePatchType, patch, subresource)
}

func (s *StandIn) patch(ref engine.Ref, pt types.PatchType, body any, subresource string) Write {
	return Write{Verb: "patch", Ref: ref, Detail: subresource, Do: func(*apiserver.Object) (*apiserver.Object, error) {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("patch of %s: %w", ref, err)
		}
		return s.API.Patch(ref, pt, data, subresource)
	}}
}

// PatchLive changes the object as it is at that moment, which can never fail
// with Conflict: what a merge by the API server amounts to. It fails with NotFound if
// the object is gone or another one, of another UID, has its name. change
// returns false if there is nothing to write.
func (s *StandIn) PatchLive(ref engine.Ref, uid, subresource string, change func(content map[string]any) bool) Write {
	return Write{Verb: "patch", Ref: ref, Detail: subresource, Do: func(*apiserver.Object) (*apiserver.Object, error) {
		// A server that others write to at the same time may have moved on.
		for {
			written, err := s.patchLive(ref, uid, subresource, change)
			if !apierrors.IsConflict(err) {
				return written, err
			}
		}
	}}
}

func (s *StandIn) patchLive(ref engine.Ref, uid, subresource string, change func(content map[string]any) bool) (*apiserver.Object, error) {
	live, err := s.API.Get(ref)
	if err != nil {
		return nil, err
	}
	if String(live.Content(), "metadata", "uid") != uid {
		return nil, apierrors.NewNotFound(resourceOf(ref), ref.Name)
	}
	content := Edit(live.Content())
	if !change(content) {
		return live, nil
	}
	return s.API.Update(content, subresource)
}

// Delete deletes an object. uid, if not empty, is a precondition.
func (s *StandIn) Delete(ref engine.Ref, uid string, grace *int64) Write {
	return Write{Verb: "delete", Ref: ref, Ignore: apierrors.IsNotFound, Do: func(*apiserver.Object) (*apiserver.Object, error) {
		opts := metav1.DeleteOptions{GracePeriodSeconds: grace}
		if uid != "" {
			u := types.UID(uid)
			opts.Preconditions = &metav1.Preconditions{UID: &u}
		}
		return nil, s.API.Delete(ref, opts)
	}}
}

// Bind binds a pod to a node.
func (s *StandIn) Bind(pod engine.Ref, node string) Write {
	return Write{Verb: "create", Ref: pod, Detail: "binding", Do: func(*apiserver.Object) (*apiserver.Object, error) {
		return nil, s.API.Bind(pod, node)
	}}
}
