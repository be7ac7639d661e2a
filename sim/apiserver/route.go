package apiserver

import (
	"net/url"
	"strings"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A route is where the path of a request leads.
type route struct {
	res         *resource // nil for a document
	document    []byte    // of discovery
	namespace   string
	name        string
	subresource string
	rawQuery    string
	form        form
}

// route finds out where a path leads; nil means nowhere. It allocates nothing
// for ordinary paths, as every request passes here twice.
func (s *Server) route(path string) *route {
	path, rawQuery, _ := strings.Cut(path, "?")
	path = strings.Trim(path, "/")
	if doc, ok := s.catalog.discovery[path]; ok {
		return &route{document: doc, rawQuery: rawQuery}
	}
	parts, ok := splitPath(path)
	if !ok {
		return nil
	}
	group, version, rest := "", "", parts
	switch {
	case len(parts) > 2 && parts[0] == "api":
		version, rest = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis" && parts[1] != "":
		group, version, rest = parts[1], parts[2], parts[3:]
	default:
		return nil
	}
	namespace := ""
	if rest[0] == "namespaces" && len(rest) > 2 && !namespaceSubresource(rest[2:]) {
		namespace, rest = rest[1], rest[2:]
	}
	res := s.catalog.byPath[pathKey{group, version, rest[0]}]
	if res == nil || len(rest) > 3 {
		return nil
	}
	r := &route{res: res, namespace: namespace, rawQuery: rawQuery}
	if len(rest) > 1 {
		r.name = rest[1]
	}
	if len(rest) > 2 {
		r.subresource = rest[2]
	}
	if !r.fitsScope() {
		return nil
	}
	return r
}

// namespaceSubresource tells /namespaces/x/status, which is about a namespace,
// from /namespaces/x/pods, which is in one.
func namespaceSubresource(rest []string) bool {
	return len(rest) == 1 && (rest[0] == "status" || rest[0] == "finalize")
}

// fitsScope refuses a namespace where the kind has none, and an object of a
// namespaced kind without one. Only whole collections go over all namespaces.
func (r *route) fitsScope() bool {
	if !r.res.Namespaced {
		return r.namespace == ""
	}
	return r.namespace != "" || r.name == ""
}

// splitPath splits a path into its decoded segments; ok is false if it has an
// empty or malformed one.
func splitPath(path string) (parts []string, ok bool) {
	var room [8]string
	parts = room[:0]
	for part := range strings.SplitSeq(path, "/") {
		if strings.Contains(part, "%") {
			decoded, err := url.PathUnescape(part)
			if err != nil {
				return nil, false
			}
			part = decoded
		}
		if part == "" {
			return nil, false
		}
		parts = append(parts, part)
	}
	return parts, true
}

func (r *route) ref() engine.Ref {
	return engine.Ref{Kind: r.res.key, Namespace: r.namespace, Name: r.name}
}

// hasSubresource says whether the route's subresource exists.
func (r *route) hasSubresource() bool {
	switch r.subresource {
	case "":
		return true
	case "status":
		return r.res.Status
	case "binding", "eviction":
		return r.res.graceful
	}
	return false
}
