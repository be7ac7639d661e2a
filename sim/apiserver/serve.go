package apiserver

import (
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// jsonHeader is the header of every answer. It is shared: nobody modifies it.
var jsonHeader = map[string]string{"Content-Type": runtime.ContentTypeJSON}

// Serve implements engine.Server. Failures are answered with a Status, never
// with a panic. Header and Body of the answer are shared: never modify them.
func (s *Server) Serve(r *engine.Request) *engine.Response {
	response, err := s.serve(r)
	if err != nil {
		return failure(err)
	}
	return response
}

func (s *Server) serve(r *engine.Request) (*engine.Response, error) {
	to := s.route(r.Path)
	if to == nil {
		return s.serveOther(r)
	}
	if to.res == nil {
		if r.Method != http.MethodGet {
			return nil, noSuchPath()
		}
		return answer(http.StatusOK, to.document), nil
	}
	if !to.hasSubresource() {
		return nil, to.res.noSuchSubresource(to.name)
	}
	if len(r.Body) > maxBody {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody))
	}
	q, err := parseQuery(to.rawQuery)
	if err != nil {
		return nil, err
	}
	handle := handlerOf(to, r.Method)
	if handle == nil && !to.res.custom {
		return nil, methodNotAllowed()
	}
	if handle == nil {
		return nil, apierrors.NewMethodNotSupported(to.res.gr, strings.ToLower(r.Method))
	}
	if err := q.checkDryRun(r.Method); err != nil {
		return nil, err
	}
	if to.form, err = formOf(to.res, r.Header["Accept"]); err != nil {
		return nil, err
	}
	return handle(s, to, q, r)
}

// maxBody is kube-apiserver's limit for the body of a request, in bytes.
const maxBody = 3 << 20

// serveOther answers the health checks.
func (s *Server) serveOther(r *engine.Request) (*engine.Response, error) {
	path, _, _ := strings.Cut(r.Path, "?")
	switch path {
	case "/healthz", "/readyz", "/livez":
		return &engine.Response{Status: http.StatusOK, Header: textHeader, Body: []byte("ok")}, nil
	}
	if s.servesBuiltins(path) {
		return nil, noSuchPath()
	}
	return pageNotFound(), nil
}

// servesBuiltins says that a path begins with a version of built-in kinds, which
// answers for itself what it does not know.
func (s *Server) servesBuiltins(path string) bool {
	for _, r := range s.catalog.resources {
		if !r.custom && !r.Internal && strings.HasPrefix(path, "/"+listPath(r.apiVersion)+"/") {
			return true
		}
	}
	return false
}

type handler func(*Server, *route, *query, *engine.Request) (*engine.Response, error)

// The methods of a collection, of an object and of its subresources.
var (
	collectionHandlers = map[string]handler{
		http.MethodGet:    (*Server).serveCollection,
		http.MethodPost:   (*Server).serveCreate,
		http.MethodDelete: (*Server).serveDeleteCollection,
	}
	objectHandlers = map[string]handler{
		http.MethodGet:    (*Server).serveGet,
		http.MethodPut:    (*Server).serveUpdate,
		http.MethodPatch:  (*Server).servePatch,
		http.MethodDelete: (*Server).serveDelete,
	}
	statusHandlers = map[string]handler{
		http.MethodGet:   (*Server).serveGet,
		http.MethodPut:   (*Server).serveUpdate,
		http.MethodPatch: (*Server).servePatch,
	}
	bindingHandlers  = map[string]handler{http.MethodPost: (*Server).serveBinding}
	evictionHandlers = map[string]handler{http.MethodPost: (*Server).serveEviction}
)

func handlerOf(to *route, method string) handler {
	switch {
	case to.subresource == "status":
		return statusHandlers[method]
	case to.subresource == "binding":
		return bindingHandlers[method]
	case to.subresource == "eviction":
		return evictionHandlers[method]
	case to.name != "":
		return objectHandlers[method]
	case to.res.oneByOne && method == http.MethodDelete:
		return nil
	case to.res.Namespaced && to.namespace == "" && method != http.MethodGet:
		return nil // only reading goes over all namespaces
	}
	return collectionHandlers[method]
}

func answer(status int, body []byte) *engine.Response {
	return &engine.Response{Status: status, Header: jsonHeader, Body: body}
}

func answerObject(status int, o *Object) *engine.Response {
	return &engine.Response{Status: status, Header: jsonHeader, Body: o.JSON(), Version: o.version}
}

func (s *Server) serveGet(to *route, _ *query, _ *engine.Request) (*engine.Response, error) {
	o, err := s.find(to.res, to.ref(), to.subresource)
	if err != nil {
		return nil, err
	}
	return answerIn(to.form, http.StatusOK, o)
}

func (s *Server) serveCreate(to *route, q *query, r *engine.Request) (*engine.Response, error) {
	content, err := s.decodeFor(to, r)
	if err != nil {
		return nil, err
	}
	o, err := s.create(to.res, content, q.write(to, r))
	if err != nil {
		return nil, err
	}
	return answerIn(to.form, http.StatusCreated, o)
}

// decodeFor decodes a body and fills in the namespace of the path.
func (s *Server) decodeFor(to *route, r *engine.Request) (map[string]any, error) {
	content, err := decodeBody(to.res, r.Header["Content-Type"], r.Body)
	if err != nil {
		return nil, err
	}
	if to.res.custom && (text(content, "kind") == "" || text(content, "apiVersion") == "") {
		return nil, badRequest("the object provided is unrecognized (must be of type %s): Object 'Kind' or 'apiVersion' is missing", to.res.Kind)
	}
	meta := child(content, "metadata")
	if meta == nil && content["metadata"] == nil {
		meta = map[string]any{}
		content["metadata"] = meta
	}
	if namespace := text(meta, "namespace"); namespace != "" && namespace != to.namespace {
		return nil, badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	if to.namespace != "" && meta != nil {
		meta["namespace"] = to.namespace
	}
	return content, nil
}

func (s *Server) serveUpdate(to *route, q *query, r *engine.Request) (*engine.Response, error) {
	content, err := s.decodeFor(to, r)
	if err != nil {
		return nil, err
	}
	w := q.write(to, r)
	w.put = true
	old, err := s.find(to.res, to.ref(), to.subresource)
	if apierrors.IsNotFound(err) && to.res.upsert && to.subresource == "" {
		return s.serveUpsert(to, content, w)
	}
	if err != nil {
		return nil, err
	}
	o, err := s.update(old, content, w)
	if err != nil {
		return nil, err
	}
	return answerIn(to.form, http.StatusOK, o)
}

// serveUpsert creates what a PUT did not find.
func (s *Server) serveUpsert(to *route, content map[string]any, w write) (*engine.Response, error) {
	if name := text(child(content, "metadata"), "name"); name != to.name {
		return nil, badRequest("the name of the object (%s) does not match the name on the URL (%s)", name, to.name)
	}
	o, err := s.create(to.res, content, w)
	if err != nil {
		return nil, err
	}
	return answerIn(to.form, http.StatusCreated, o)
}

func (s *Server) servePatch(to *route, q *query, r *engine.Request) (*engine.Response, error) {
	pt := types.PatchType(mediaType(r.Header["Content-Type"]))
	o, created, err := s.patch(to.res, to.ref(), pt, r.Body, q.write(to, r))
	if err != nil {
		return nil, err
	}
	if created {
		return answerIn(to.form, http.StatusCreated, o)
	}
	return answerIn(to.form, http.StatusOK, o)
}

// write says how a request writes.
func (q *query) write(to *route, r *engine.Request) write {
	w := write{subresource: to.subresource, dryRun: q.dryRun, wire: true, manager: q.manager, named: q.manager != "", force: q.force}
	if !w.named {
		w.manager, _, _ = strings.Cut(r.Header["User-Agent"], "/")
	}
	return w
}

func (s *Server) serveDelete(to *route, q *query, r *engine.Request) (*engine.Response, error) {
	opts, err := decodeDeleteOptions(to.res, r.Body, q)
	if err != nil {
		return nil, err
	}
	o, gone, err := s.delete(to.res, to.ref(), opts)
	if err != nil {
		return nil, err
	}
	if !gone || to.res.returnsDeleted {
		return answerIn(to.form, http.StatusOK, o)
	}
	response := answer(http.StatusOK, encodeStatus(deletedStatus(o)))
	response.Version = o.version
	return response, nil
}

func deletedStatus(o *Object) metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusSuccess,
		Details:  &metav1.StatusDetails{Name: o.ref.Name, Group: o.res.Group, Kind: o.res.Plural, UID: types.UID(o.UID())},
	}
}
