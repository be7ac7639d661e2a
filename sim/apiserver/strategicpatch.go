package apiserver

import (
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// applyStrategicPatch applies a strategic merge patch: lists are merged by the
// keys that the Go type names. Custom resources have no such type, so they do not
// take it.
func applyStrategicPatch(old *Object, data []byte) (map[string]any, error) {
	patch, err := decodePatch(data)
	if err != nil {
		return nil, err
	}
	// The library modifies what it is given.
	merged, err := strategicpatch.StrategicMergeMapPatch(runtime.DeepCopyJSON(old.content), patch, old.res.New())
	switch {
	case err == nil:
		return merged, nil
	case errors.Is(err, mergepatch.ErrBadJSONDoc), errors.Is(err, mergepatch.ErrBadPatchFormatForPrimitiveList),
		errors.Is(err, mergepatch.ErrBadPatchFormatForRetainKeys), errors.Is(err, mergepatch.ErrBadPatchFormatForSetElementOrderList),
		errors.Is(err, mergepatch.ErrUnsupportedStrategicMergePatchFormat):
		return nil, apierrors.NewBadRequest(err.Error())
	case errors.Is(err, mergepatch.ErrNoListOfLists), mergepatch.IsPreconditionFailed(err):
		return nil, unprocessable(err)
	}
	return nil, apierrors.NewGenericServerResponse(http.StatusInternalServerError, "", old.res.gr, old.ref.Name, err.Error(), 0, false)
}
