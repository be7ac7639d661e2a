package apiserver

import (
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// serveCollection answers lists and watches.
func (s *Server) serveCollection(to *route, q *query, r *engine.Request) (*engine.Response, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	if q.watch {
		return s.serveWatch(to, q)
	}
	q.stale = r.Stale
	p, err := s.listSelected(to, q)
	if err != nil {
		return nil, err
	}
	response, err := answerList(to.form, p, to.res)
	if err == nil {
		response.Stale = p.stale
	}
	return response, err
}

func (s *Server) listSelected(to *route, q *query) (page, error) {
	sel, err := newSelection(to.res, to.namespace, q.labelSelector, q.fieldSelector)
	if err != nil {
		return page{}, err
	}
	return s.list(to.res, sel, q)
}

func (s *Server) serveWatch(to *route, q *query) (*engine.Response, error) {
	o := WatchOptions{
		Namespace: to.namespace, LabelSelector: q.labelSelector, FieldSelector: q.fieldSelector,
		ResourceVersion: q.resourceVersion, AllowBookmarks: q.bookmarks,
		SendInitialEvents: q.initialEvents != nil && *q.initialEvents,
	}
	if q.initialEvents != nil && !*q.initialEvents && (o.ResourceVersion == "" || o.ResourceVersion == "0") {
		o.ResourceVersion = strconv.FormatUint(s.version, 10) // from now on
	}
	w, err := s.watch(to.res, o)
	if err != nil {
		return nil, err
	}
	response := &engine.Response{Status: http.StatusOK, Header: jsonHeader, Watch: w}
	switch to.form {
	case metadataOnly:
		response.Watch = metadataWatch{w}
	case wholeProtobuf:
		return nil, notAcceptable()
	}
	return response, nil
}

// serveDeleteCollection deletes what a list gives, one after the other, and
// answers with the list.
func (s *Server) serveDeleteCollection(to *route, q *query, r *engine.Request) (*engine.Response, error) {
	opts, err := decodeDeleteOptions(to.res, r.Body, q)
	if err != nil {
		return nil, err
	}
	p, err := s.listSelected(to, q)
	if err != nil {
		return nil, err
	}
	for _, o := range p.objects {
		if _, _, err := s.delete(to.res, o.ref, opts); err != nil && !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	return answerList(to.form, p, to.res)
}

// serveBinding answers POST pods/x/binding.
func (s *Server) serveBinding(to *route, q *query, r *engine.Request) (*engine.Response, error) {
	content, err := decodeBinding(r)
	if err != nil {
		return nil, err
	}
	meta := child(content, "metadata")
	if name := text(meta, "name"); name != "" && name != to.name {
		return nil, badRequest("the name of the object (%s) does not match the name on the URL (%s)", name, to.name)
	}
	b := binding{node: text(child(content, "target"), "name"), uid: text(meta, "uid"), annotations: child(meta, "annotations")}
	if q.dryRun {
		return nil, badRequest("dryRun is not supported for pods/binding")
	}
	if err := s.bind(to.ref(), b); err != nil {
		return nil, err
	}
	response := answer(http.StatusCreated, encodeStatus(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusSuccess,
		Code:     http.StatusCreated,
	}))
	response.Version = s.version
	return response, nil
}

// bindingKind decodes the bodies of bindings; they are stored nowhere.
var bindingKind = newResource(Resource{Version: "v1", Kind: "Binding", Plural: "bindings", Namespaced: true}, 0)

func decodeBinding(r *engine.Request) (map[string]any, error) {
	content, err := decodeBody(bindingKind, r.Header["Content-Type"], r.Body)
	if err != nil {
		return nil, err
	}
	if _, _, err := bindingKind.own(content); err != nil {
		return nil, err
	}
	return content, nil
}
