package kvvm

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"
)

// wire stands between the controller and the API server: it notes what is written,
// holds watches back, refuses requests, and lets a story act in the middle of a
// handler.
type wire struct {
	next http.RoundTripper

	mu       sync.Mutex
	requests []string                 // all, in short: "PUT kvvm"
	bodies   []string                 // of the same requests
	hooks    map[string]func()        // run once, before the request of that name
	refused  map[string]int           // how many requests of that name are still refused
	held     map[string]chan struct{} // by short resource; closed at the release
}

func newWire(next http.RoundTripper) *wire {
	return &wire{next: next, hooks: map[string]func(){}, refused: map[string]int{}, held: map[string]chan struct{}{}}
}

var shortNames = map[string]string{
	"/apis/kubevirt.io/v1/virtualmachines":                             "kvvm",
	"/apis/kubevirt.io/v1/virtualmachineinstances":                     "kvvmi",
	"/apis/virtualization.deckhouse.io/v1alpha2/virtualmachines":       "vm",
	"/apis/virtualization.deckhouse.io/v1alpha2/virtualmachineclasses": "class",
	"/api/v1/pods": "pod",
}

// short names a resource: "kvvm" or "vm/status", and "kvvms" for a collection.
func short(path string) string {
	path = strings.Replace(path, "/namespaces/default", "", 1)
	for prefix, name := range shortNames {
		rest, ok := strings.CutPrefix(path, prefix)
		if !ok {
			continue
		}
		parts := strings.Split(strings.Trim(rest, "/"), "/")
		if len(parts) > 1 {
			return name + "/" + parts[1]
		}
		return name
	}
	return path
}

func (l *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	resource := short(req.URL.Path)
	name := req.Method + " " + resource
	watching := req.URL.Query().Get("watch") != ""
	if watching {
		name = "WATCH " + resource
	}
	body := ""
	if req.Body != nil {
		raw, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		body = string(raw)
		req.Body = io.NopCloser(strings.NewReader(body))
	}
	l.mu.Lock()
	hook, refuse := l.hooks[name], l.refused[name] > 0
	said := name
	if refuse {
		said += " refused"
	}
	l.requests, l.bodies = append(l.requests, said), append(l.bodies, body)
	delete(l.hooks, name)
	if refuse {
		l.refused[name]--
	}
	l.mu.Unlock()
	if hook != nil {
		hook()
	}
	if refuse {
		return refusal(req), nil
	}
	resp, err := l.next.RoundTrip(req)
	if err == nil && watching {
		resp.Body = &heldBody{resp.Body, l, resource, req.Context()}
	}
	// The answer takes longer than the watch event, as a rule.
	time.Sleep(time.Millisecond)
	return resp, err
}

// refusal is the answer of an API server that has lost its storage.
func refusal(req *http.Request) *http.Response {
	const body = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError","message":"no","code":500}`
	return &http.Response{
		StatusCode: http.StatusInternalServerError, Request: req, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)),
	}
}

// writes are the requests since the last call that were not only reads.
func (l *wire) writes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var writes []string
	for _, r := range l.requests {
		if !strings.HasPrefix(r, "GET ") && !strings.HasPrefix(r, "WATCH ") {
			writes = append(writes, r)
		}
	}
	l.requests, l.bodies = nil, nil
	return writes
}

// sent are all requests with their bodies.
func (l *wire) sent() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []string
	for i, r := range l.requests {
		all = append(all, fmt.Sprintf("%s %s", r, l.bodies[i]))
	}
	return all
}

// body is the body of the last request of that name.
func (l *wire) body(request string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, r := range slices.Backward(l.requests) {
		if r == request {
			return l.bodies[i]
		}
	}
	return ""
}

// before has the story act once, before the next request of that name.
func (l *wire) before(request string, act func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hooks[request] = act
}

// refuse answers the next n requests of that name with an error.
func (l *wire) refuse(request string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused[request] = n
}

// hold keeps the resource's events from the controller; release lets them go on.
func (l *wire) hold(resource string) (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	gate := make(chan struct{})
	l.held[resource] = gate
	return func() {
		l.mu.Lock()
		delete(l.held, resource)
		l.mu.Unlock()
		close(gate)
		synctest.Wait()
	}
}

type heldBody struct {
	io.ReadCloser
	wire     *wire
	resource string
	ctx      context.Context
}

func (b *heldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.wire.mu.Lock()
	gate := b.wire.held[b.resource]
	b.wire.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-b.ctx.Done():
		}
	}
	return n, err
}
