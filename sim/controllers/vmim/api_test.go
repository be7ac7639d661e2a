package vmim

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// api is an API server in memory, of the three resources that are read.
type api struct {
	mu       sync.Mutex
	version  int
	objects  map[string]map[string]runtime.Object // by resource and key
	watches  map[string][]*watch
	noCRDs   bool
	requests []string
}

func newAPI() *api {
	return &api{objects: map[string]map[string]runtime.Object{}, watches: map[string][]*watch{}}
}

// put creates an object or replaces it, status included.
func (a *api) put(resource string, obj runtime.Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.version++
	obj = obj.DeepCopyObject()
	m, _ := meta.Accessor(obj)
	m.SetResourceVersion(strconv.Itoa(a.version))
	table := a.objects[resource]
	if table == nil {
		table = map[string]runtime.Object{}
		a.objects[resource] = table
	}
	key := m.GetNamespace() + "/" + m.GetName()
	event := "MODIFIED"
	if table[key] == nil {
		event = "ADDED"
	}
	table[key] = obj
	a.send(resource, event, obj)
}

func (a *api) remove(resource, key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	obj := a.objects[resource][key].DeepCopyObject()
	delete(a.objects[resource], key)
	a.version++
	m, _ := meta.Accessor(obj)
	m.SetResourceVersion(strconv.Itoa(a.version))
	a.send(resource, "DELETED", obj)
}

func (a *api) send(resource, event string, obj runtime.Object) {
	for _, w := range a.watches[resource] {
		w.send(event, obj)
	}
}

func (a *api) RoundTrip(req *http.Request) (*http.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	switch {
	case req.URL.Path == "/apis/kubevirt.io/v1":
		if a.noCRDs {
			return answer(http.StatusNotFound, notFound(parts[1]))
		}
		return answer(http.StatusOK, metav1.APIResourceList{APIResources: []metav1.APIResource{{Name: migrationResource}}})
	case req.URL.Query().Get("watch") != "":
		return a.watch(req, parts[len(parts)-1])
	case len(parts) < 5:
		return answer(http.StatusInternalServerError, notFound(req.URL.String()))
	}
	resource, key := parts[len(parts)-2], parts[len(parts)-3]+"/"+parts[len(parts)-1]
	if obj := a.objects[resource][key]; obj != nil {
		return answer(http.StatusOK, obj)
	}
	return answer(http.StatusNotFound, notFound(key))
}

func (a *api) watch(req *http.Request, resource string) (*http.Response, error) {
	w := &watch{more: make(chan struct{}, 1), done: req.Context().Done()}
	a.watches[resource] = append(a.watches[resource], w)
	keys := []string{}
	for key := range a.objects[resource] {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		w.send("ADDED", a.objects[resource][key])
	}
	kind := map[string]string{podResource: "Pod", migrationResource: "VirtualMachineInstanceMigration"}[resource]
	version := map[string]string{podResource: "v1", migrationResource: "kubevirt.io/v1"}[resource]
	w.send("BOOKMARK", map[string]any{"kind": kind, "apiVersion": version, "metadata": map[string]any{
		"resourceVersion": strconv.Itoa(a.version), "annotations": map[string]any{metav1.InitialEventsAnnotationKey: "true"}}})
	return &http.Response{StatusCode: http.StatusOK, Header: jsonHeader(), Body: w}, nil
}

func notFound(name string) metav1.Status {
	return metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure",
		Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound, Message: name + " not found"}
}

func jsonHeader() http.Header { return http.Header{"Content-Type": {"application/json"}} }

func answer(status int, v any) (*http.Response, error) {
	body, err := json.Marshal(v)
	return &http.Response{StatusCode: status, Header: jsonHeader(), Body: io.NopCloser(bytes.NewReader(body))}, err
}

// watch is the body of one watch.
type watch struct {
	mu     sync.Mutex
	buffer bytes.Buffer
	more   chan struct{}
	done   <-chan struct{}
}

func (w *watch) send(event string, obj any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := json.NewEncoder(&w.buffer).Encode(map[string]any{"type": event, "object": obj}); err != nil {
		panic(err)
	}
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *watch) Read(p []byte) (int, error) {
	for {
		w.mu.Lock()
		if w.buffer.Len() > 0 {
			defer w.mu.Unlock()
			return w.buffer.Read(p)
		}
		w.mu.Unlock()
		select {
		case <-w.more:
		case <-w.done:
			return 0, io.EOF
		}
	}
}

func (w *watch) Close() error { return nil }
