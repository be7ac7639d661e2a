package apiserver

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Describe implements engine.Server. Name is also filled in where the path does
// not hold it: of an object to be created, from the body; of a list or watch of
// a single object, from the field selector. A generateName is no name.
func (s *Server) Describe(r *engine.Request) engine.RequestInfo {
	to := s.route(r.Path)
	if to == nil || to.res == nil {
		return engine.RequestInfo{Verb: strings.ToLower(r.Method)}
	}
	info := engine.RequestInfo{Kind: to.res.key, Namespace: to.namespace, Name: to.name, Subresource: to.subresource}
	switch r.Method {
	case http.MethodGet:
		info.Verb = "get"
		if to.name == "" {
			info.Verb, info.Name = describeCollection(to.rawQuery)
		}
	case http.MethodPost:
		info.Verb = "create"
		if to.name == "" {
			info.Name = bodyName(r)
		}
	case http.MethodPut:
		info.Verb = "update"
	case http.MethodPatch:
		info.Verb = "patch"
	case http.MethodDelete:
		info.Verb = "delete"
		if to.name == "" {
			info.Verb = "deletecollection"
		}
	default:
		info.Verb = strings.ToLower(r.Method)
	}
	return info
}

func describeCollection(rawQuery string) (verb, name string) {
	q, err := parseQuery(rawQuery)
	switch {
	case err != nil:
		return "list", ""
	case q.watch:
		return "watch", q.singleName()
	}
	return "list", q.singleName()
}

// bodyName reads metadata.name of a request's body, and nothing more than is
// needed for it.
func bodyName(r *engine.Request) string {
	if bytes.HasPrefix(r.Body, protobufMagic) {
		return protobufName(r.Body[len(protobufMagic):])
	}
	return jsonName(r.Body)
}
