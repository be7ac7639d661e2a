package conformance

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

// raw sends a request that no client library would. Path may hold NS for the
// case's namespace.
func (t *trial) raw(method, path, body string, header ...string) (code int, contentType string) {
	t.tb.Helper()
	client := need(rest.HTTPClientFor(t.config))(t)
	base, _ := need2(rest.DefaultServerUrlFor(t.config))(t)
	req := need(http.NewRequestWithContext(t.ctx, method, base+t.text("%s", path), strings.NewReader(t.text("%s", body))))(t)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		t.note("no answer", "the connection was dropped")
		return 0, ""
	}
	need(io.Copy(io.Discard, res.Body))(t)
	t.ok(res.Body.Close())
	return res.StatusCode, res.Header.Get("Content-Type")
}

// need2 fits DefaultServerUrlFor.
func need2[U fmt.Stringer, V any](u U, v V, err error) func(*trial) (string, V) {
	return func(t *trial) (string, V) {
		t.tb.Helper()
		t.ok(err)
		return strings.TrimSuffix(u.String(), "/"), v
	}
}

func (t *trial) rawGet(path, accept string) (code int, contentType string) {
	t.tb.Helper()
	return t.raw(http.MethodGet, path, "", "Accept", accept)
}

// text fills in a format and the case's namespace.
func (t *trial) text(format string, args ...any) string {
	return strings.ReplaceAll(fmt.Sprintf(format, args...), "NS", t.ns)
}

// collectionOf is the path of the collection that an object is in.
func (t *trial) collectionOf(o *unstructured.Unstructured) string {
	e := endpoints[o.GetAPIVersion()+" "+o.GetKind()]
	path := "/apis/" + o.GetAPIVersion()
	if !strings.Contains(o.GetAPIVersion(), "/") {
		path = "/api/" + o.GetAPIVersion()
	}
	if e.namespaced {
		path += "/namespaces/" + t.ns
	}
	return path + "/" + e.plural
}

func (t *trial) pathOf(o *unstructured.Unstructured) string {
	return t.collectionOf(o) + "/" + o.GetName()
}
