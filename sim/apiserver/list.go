package apiserver

import (
	"encoding/base64"
	"encoding/json"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A page is the answer to a list request.
type page struct {
	objects   []*Object
	version   uint64
	next      string // continue token, if there is more
	remaining int    // objects after this page; -1 if it is not said
	stale     bool   // the kind was written to since
}

// A continueToken says where the next page of a list starts. It has the shape
// that kube-apiserver uses.
type continueToken struct {
	V     string `json:"v"`
	RV    int64  `json:"rv"` // inconsistent for the present state, whatever it is
	Start string `json:"start"`
}

const (
	continueVersion = "meta.k8s.io/v1"
	inconsistent    = -1
)

// list answers a list request. All pages of one list show the state at the time
// of the first.
func (s *Server) list(res *resource, sel selection, q *query) (page, error) {
	version, start, err := s.listFrom(q)
	if err != nil {
		return page{}, err
	}
	stale := false
	if q.stale > 0 && q.takesAnyState() {
		version = s.versionBefore(q.stale)
		stale = s.store(res).wroteSince(version)
	}
	objects, ok := s.store(res).at(version)
	if !ok && start != "" {
		return page{}, continueExpired(start)
	}
	if !ok {
		return page{}, apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	p := page{version: version, remaining: -1, stale: stale}
	for _, o := range within(objects, sel.namespace) {
		if o.key < start || !sel.matches(o) {
			continue
		}
		if q.limit <= 0 || int64(len(p.objects)) < q.limit {
			p.objects = append(p.objects, o)
			continue
		}
		if p.next == "" {
			p.next = encodeToken(int64(version), o.key)
			p.remaining = 0
		}
		p.remaining++
	}
	if !sel.everything() {
		p.remaining = -1 // the real server does not count through a selector
	}
	return p, nil
}

// listFrom decides of which version a list is, and where it starts.
func (s *Server) listFrom(q *query) (version uint64, start string, err error) {
	if q.next != "" {
		return s.decodeToken(q)
	}
	asked, err := parseVersion(q.resourceVersion)
	if err != nil {
		return 0, "", err
	}
	if asked > s.version {
		return 0, "", tooLarge(asked, s.version)
	}
	exact := q.versionMatch == string(metav1.ResourceVersionMatchExact) || q.versionMatch == "" && q.limit > 0
	if asked > 0 && exact {
		return asked, "", nil
	}
	return s.version, "", nil
}

func parseVersion(v string) (uint64, error) {
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		return 0, badRequest("invalid resource version: resourceVersion: Invalid value: %q: strconv.ParseUint: parsing %q: invalid syntax", v, v)
	}
	return n, nil
}

func encodeToken(version int64, start string) string {
	return base64.RawURLEncoding.EncodeToString(document(continueToken{continueVersion, version, start}))
}

func (s *Server) decodeToken(q *query) (version uint64, start string, err error) {
	if q.resourceVersion != "" && q.resourceVersion != "0" {
		return 0, "", badRequest("specifying resource version is not allowed when using continue")
	}
	data, err := base64.RawURLEncoding.DecodeString(q.next)
	var t continueToken
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if err != nil {
		return 0, "", badRequest("invalid continue token: continue key is not valid: %v", err)
	}
	switch {
	case t.V != continueVersion || t.RV == 0 || t.RV < inconsistent || t.RV > int64(s.version) || t.Start == "":
		return 0, "", badRequest("invalid continue token: continue key is not valid: %q", q.next)
	case t.RV == inconsistent:
		return s.version, t.Start, nil
	}
	return uint64(t.RV), t.Start, nil
}

// continueExpired is the answer to a page of a state that is forgotten. It comes
// with a token that goes on in the present state.
func continueExpired(start string) error {
	err := apierrors.NewResourceExpired("The provided continue parameter is too old " +
		"to display a consistent list result. You can start a new list without " +
		"the continue parameter, or use the continue token in this response to " +
		"retrieve the remainder of the results. Continuing with the provided " +
		"token results in an inconsistent list - objects that were created, " +
		"modified, or deleted between the time the first chunk was returned " +
		"and now may show up in the list.")
	err.ErrStatus.ListMeta.Continue = encodeToken(inconsistent, start)
	return err
}

// encode gives the list as it goes over the wire.
func (p page) encode(res *resource, f form) []byte {
	if f == metadataOnly {
		return p.encodeAs("PartialObjectMetadata", "meta.k8s.io/v1", (*Object).metadataJSON)
	}
	return p.encodeAs(res.Kind, res.apiVersion, (*Object).itemJSON)
}

func (p page) encodeAs(kind, apiVersion string, item func(*Object) []byte) []byte {
	size := 256
	for _, o := range p.objects {
		size += len(o.JSON()) + 1
	}
	b := make([]byte, 0, size)
	b = append(append(b, `{"kind":"`...), kind...)
	b = append(append(b, `List","apiVersion":"`...), apiVersion...)
	b = append(b, `","metadata":{"resourceVersion":"`...)
	b = append(strconv.AppendUint(b, p.version, 10), '"')
	if p.next != "" {
		b = append(append(append(b, `,"continue":"`...), p.next...), '"')
	}
	if p.remaining > 0 {
		b = strconv.AppendInt(append(b, `,"remainingItemCount":`...), int64(p.remaining), 10)
	}
	b = append(b, `},"items":[`...)
	for i, o := range p.objects {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item(o)...)
	}
	return append(b, "]}\n"...)
}
