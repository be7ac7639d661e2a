package apiserver

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Adopt makes an object of what another API server answered or sent, numbers as
// int64 or float64. It keeps that server's resourceVersion and is not stored. It
// fails for a kind that this server does not serve, and for content without a
// resourceVersion.
func (s *Server) Adopt(content map[string]any) (*Object, error) {
	res, err := s.resourceOf(content)
	if err != nil {
		return nil, err
	}
	meta := child(content, "metadata")
	version, err := parseVersion(text(meta, "resourceVersion"))
	if err != nil {
		return nil, err
	}
	if version == 0 {
		return nil, apierrors.NewBadRequest("an object of another server has a metadata.resourceVersion: found none")
	}
	ref := engine.Ref{Kind: res.key, Namespace: text(meta, "namespace"), Name: text(meta, "name")}
	return &Object{res: res, ref: ref, key: ref.Key(), version: version, content: content}, nil
}
