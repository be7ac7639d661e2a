package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// An entry of a transcript is one request and its answer, one watch event, or
// one note of the case.
type entry struct {
	Call string // "PUT /api/v1/namespaces/x/pods/y"
	Code int
	Body any // decoded JSON
}

// A recorder collects the transcript of a trial.
type recorder struct {
	mu  sync.Mutex
	all []entry
	off bool
	// bare keeps only codes and reasons.
	bare bool
}

func (r *recorder) add(e entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.off {
		return
	}
	if m, ok := e.Body.(map[string]any); ok && r.bare {
		e.Body = m["reason"]
	}
	r.all = append(r.all, e)
}

func (r *recorder) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = nil
}

// pause stops the recording: for what informers ask on their own.
func (r *recorder) pause() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.off = true
}

func (r *recorder) resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.off = false
}

func (r *recorder) codesOnly(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bare = on
}

func (r *recorder) entries() []entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}

// recording is the transport that writes the transcript. The bodies of watches
// are left alone: which of their events count is for the case to say.
type recording struct {
	next http.RoundTripper
	to   *recorder
}

// RoundTrip implements http.RoundTripper.
func (r recording) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := r.next.RoundTrip(req)
	if err != nil || isDiscovery(req.URL.Path) {
		return res, err
	}
	e := entry{Call: req.Method + " " + req.URL.Path, Code: res.StatusCode}
	if req.URL.RawQuery != "" {
		e.Call += "?" + req.URL.RawQuery
	}
	if streams(req) && res.StatusCode == http.StatusOK {
		r.to.add(e)
		return res, nil
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if err := res.Body.Close(); err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	e.Body = decoded(res.Header.Get("Content-Type"), body)
	r.to.add(e)
	return res, nil
}

func streams(req *http.Request) bool {
	watch := req.URL.Query().Get("watch")
	return watch == "true" || watch == "1"
}

// isDiscovery says that a path is about kinds, and not about objects. Clients ask
// for these at different times.
func isDiscovery(path string) bool {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	switch segments[0] {
	case "api":
		return len(segments) <= 2
	case "apis":
		return len(segments) <= 3
	}
	return true
}

// anyKind decodes all that a server sends as protobuf, metadata alone included.
var anyKind = sync.OnceValue(func() serializer.CodecFactory {
	s := typedScheme()
	if err := metav1.AddMetaToScheme(s); err != nil {
		panic(err)
	}
	return serializer.NewCodecFactory(s)
})

// decoded gives a body as decoded JSON, whatever it was sent as.
func decoded(contentType string, body []byte) any {
	if strings.HasPrefix(contentType, runtime.ContentTypeProtobuf) {
		o, _, err := anyKind().UniversalDeserializer().Decode(body, nil, nil)
		if err != nil {
			return "undecodable protobuf: " + err.Error()
		}
		if body, err = json.Marshal(o); err != nil {
			return err.Error()
		}
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return string(body)
	}
	return v
}
