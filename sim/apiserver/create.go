package apiserver

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Create stores a new object. The content is shared from then on: the caller may
// not modify it, but may give it to other servers. Content that does not fit the
// kind's Go type is a 400, here and in all writes. Errors are
// *apierrors.StatusError, as for all direct access.
func (s *Server) Create(content map[string]any) (*Object, error) {
	res, err := s.resourceOf(content)
	if err != nil {
		return nil, err
	}
	return s.create(res, content, write{})
}

// resourceOf finds the resource that content says it is of.
func (s *Server) resourceOf(content map[string]any) (*resource, error) {
	if !isJSON(content) {
		return nil, apierrors.NewBadRequest(whyNotJSON("content", content))
	}
	if r := s.catalog.byType[typeKey{text(content, "apiVersion"), text(content, "kind")}]; r != nil {
		return r, nil
	}
	return s.kind(text(content, "kind"))
}

// write says how a write reached the server.
type write struct {
	subresource string
	put         bool // a whole object, not a patch
	dryRun      bool
	wire        bool // it came in a request: schemas and admission apply
	manager     string
	named       bool // the request names its manager
	force       bool // an apply takes over fields of others
	applied     bool // an apply: the managedFields are computed already
}

// nameAttempts is how often kube-apiserver tries another generated name.
const nameAttempts = 8

func (s *Server) create(res *resource, content map[string]any, w write) (*Object, error) {
	object, meta, err := res.own(res.completed(content, w))
	if err != nil {
		return nil, err
	}
	if err := res.checkScope(meta); err != nil {
		return nil, err
	}
	if v := text(meta, "resourceVersion"); v != "" && v != "0" {
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
			Message: "resourceVersion should not be set on objects to be created"}}
	}
	generated := s.complete(res, meta)
	for _, system := range []string{"uid", "creationTimestamp", "deletionTimestamp",
		"deletionGracePeriodSeconds", "selfLink", "resourceVersion"} {
		delete(meta, system)
	}
	if res.Generation {
		delete(meta, "generation")
	}
	if res.Status && !res.keepsStatus {
		delete(object, "status")
	}
	if !w.applied {
		delete(meta, "managedFields")
	}
	errs := res.checkName(meta)
	more, err := res.checkMeta(meta, nil)
	if err != nil {
		return nil, err
	}
	errs = append(errs, more...)
	errs = append(errs, res.checkPlacement(object)...)
	if errs = append(errs, res.checkSchema(object, nil, w)...); len(errs) > 0 {
		return nil, res.invalid(text(meta, "name"), errs)
	}
	ref := engine.Ref{Kind: res.key, Namespace: text(meta, "namespace"), Name: text(meta, "name")}
	if s.store(res).get(ref.Key()) != nil {
		return nil, alreadyExists(res, ref.Name, generated)
	}
	res.complete(object)
	s.stamp(res, object)
	if err := s.admit(res, object, w); err != nil {
		return nil, err
	}
	unsaved := &Object{res: res, ref: ref, key: ref.Key(), content: object}
	if err := unsaved.fits(); err != nil || w.dryRun {
		return unsaved, err
	}
	o := s.write(res, nil, object)
	o.by = w.author()
	o.adopt(unsaved)
	return o, nil
}

func alreadyExists(res *resource, name string, generated bool) error {
	if generated {
		return apierrors.NewGenerateNameConflict(res.gr, name, 1)
	}
	return apierrors.NewAlreadyExists(res.gr, name)
}

// complete makes a name of metadata.generateName, if there is no name.
func (s *Server) complete(res *resource, meta map[string]any) bool {
	base := text(meta, "generateName")
	if base == "" || text(meta, "name") != "" {
		return false
	}
	namespace := text(meta, "namespace")
	for range nameAttempts {
		meta["name"] = s.identity.name(res.key, namespace, base)
		if s.store(res).get(engine.Ref{Namespace: namespace, Name: text(meta, "name")}.Key()) == nil {
			break
		}
	}
	return true
}

// stamp fills in what the server gives a new object, where it has none yet.
func (s *Server) stamp(res *resource, object map[string]any) {
	meta := child(object, "metadata")
	ref := engine.Ref{Namespace: text(meta, "namespace"), Name: text(meta, "name")}
	if text(meta, "uid") == "" {
		meta["uid"] = s.identity.uid(res.key, ref.Key())
	}
	if meta["creationTimestamp"] == nil {
		meta["creationTimestamp"] = s.now()
	}
	if _, ok := integer(meta, "generation"); res.Generation && !ok {
		meta["generation"] = int64(1)
	}
	if res.graceful && object["status"] == nil {
		object["status"] = map[string]any{"phase": res.phase, "qosClass": qosClass(child(object, "spec"))}
		s.tellGates(object)
	}
	if status := child(object, "status"); res.phase != "" && text(status, "phase") == "" {
		object["status"] = with(status, "phase", res.phase)
	}
}
