package vmim

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
)

// world is a controller that runs in a bubble against an API server in memory.
// Time is counted from when the controller stood idle for the first time.
type world struct {
	t       *testing.T
	variant Variant
	api     *api
	wire    *wire
	ovn     *ovnTable
	start   time.Time
	end     context.CancelFunc
	ended   chan error

	mu       sync.Mutex
	attempts []string // "queue key time", of each
	logs     []string
}

// inWorld runs a story with a controller of the variant in a bubble. The objects
// are there before the controller starts.
func inWorld(t *testing.T, v Variant, story func(*world), objects ...runtime.Object) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := newAPI(t, nil)
		w := &world{t: t, api: server, wire: newWire(server.Transport()), ovn: newOVNTable(nil), start: time.Now()}
		w.put(objects...)
		w.run(v)
		story(w)
		w.stop()
		time.Sleep(time.Second) // what was on the wire gets off it
	})
}

// run starts a controller; the world has none, or has stopped the one it had.
func (w *world) run(v Variant) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	w.variant, w.end, w.ended = v, cancel, make(chan error)
	c, err := New(&rest.Config{Host: "http://cluster", Transport: w.wire, QPS: -1}, w.ovn, Options{
		Variant:  v,
		Logger:   funcr.NewJSON(w.logged, funcr.Options{}),
		NewQueue: func(name string) workqueue.TypedRateLimitingInterface[string] { return w.record(name) },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	go func() { w.ended <- c.Run(ctx) }()
	synctest.Wait()
}

func (w *world) stop() {
	w.t.Helper()
	w.end()
	if err := <-w.ended; err != nil {
		w.t.Errorf("Run returned %v, want nil", err)
	}
}

// put creates or replaces objects, and waits after each until the controller is
// idle: two events at once would reach it in random order.
func (w *world) put(objects ...runtime.Object) {
	for _, obj := range objects {
		w.api.put(obj)
		synctest.Wait()
	}
}

func (w *world) remove(objects ...runtime.Object) {
	for _, obj := range objects {
		w.api.remove(obj)
		synctest.Wait()
	}
}

// sleep lets time pass until that time of the story.
func (w *world) sleepUntil(at time.Duration) {
	time.Sleep(at - time.Since(w.start))
	synctest.Wait()
}

// wantOptions compares what the VM's port has, as "requested-chassis activation-strategy".
func (w *world) wantOptions(want string) {
	w.t.Helper()
	if got := w.ovn.options(); got != want {
		w.t.Errorf("%v: the port has options %q, want %q", time.Since(w.start), got, want)
	}
}

func (w *world) wantWrites(want ...string) {
	w.t.Helper()
	if got := w.ovn.written(); !slices.Equal(got, want) {
		w.t.Errorf("%v: ports were written %q, want %q", time.Since(w.start), got, want)
	}
}

func (w *world) logged(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.logs = append(w.logs, messageOf(line))
}

// attemptsAt are the times at which a worker took the key from the queue.
func (w *world) attemptsAt(queue, key string) []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	var times []time.Duration
	for _, attempt := range w.attempts {
		at, err := time.ParseDuration(attempt[strings.LastIndexByte(attempt, ' ')+1:])
		if err != nil {
			w.t.Fatal(err)
		}
		if strings.HasPrefix(attempt, queue+" "+key+" ") {
			times = append(times, at)
		}
	}
	return times
}

// record makes a queue as the controller would and writes down what is taken from it.
func (w *world) record(name string) workqueue.TypedRateLimitingInterface[string] {
	return &recordedQueue{defaultQueue(name), name, w}
}

type recordedQueue struct {
	workqueue.TypedRateLimitingInterface[string]
	name  string
	world *world
}

func (q *recordedQueue) Get() (string, bool) {
	key, shutdown := q.TypedRateLimitingInterface.Get()
	if !shutdown {
		q.world.mu.Lock()
		defer q.world.mu.Unlock()
		q.world.attempts = append(q.world.attempts, fmt.Sprint(q.name, " ", key, " ", time.Since(q.world.start)))
	}
	return key, shutdown
}

// messageOf takes the message, or the error, out of a log line in JSON.
func messageOf(line string) string {
	var fields struct{ Msg, Error string }
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		return line
	}
	if fields.Error != "" {
		return fields.Msg + ": " + fields.Error
	}
	return fields.Msg
}

// wire stands between the controller and the API server. It can hold watches back
// and let a story act in the middle of a handler.
type wire struct {
	next http.RoundTripper
	// delay, if there is one, is how long a request, or what a watch sends, takes.
	delay func(name string) time.Duration

	mu       sync.Mutex
	requests []string
	hooks    map[string]func()        // run once, before the request of that name
	held     map[string]chan struct{} // by resource; closed at the release
}

func newWire(next http.RoundTripper) *wire {
	return &wire{next: next, hooks: map[string]func(){}, held: map[string]chan struct{}{}}
}

func (l *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	name := req.Method + " " + req.URL.Path
	watching := req.URL.Query().Get("watch") != ""
	if watching {
		name = "WATCH " + req.URL.Path
	}
	l.mu.Lock()
	l.requests = append(l.requests, name)
	hook := l.hooks[name]
	delete(l.hooks, name)
	l.mu.Unlock()
	if hook != nil {
		hook()
	}
	if l.delay != nil {
		time.Sleep(l.delay(name))
	}
	resp, err := l.next.RoundTrip(req)
	if err == nil && watching {
		resp.Body = &heldBody{resp.Body, l, req.URL.Path[strings.LastIndexByte(req.URL.Path, '/')+1:], req.Context()}
	}
	return resp, err
}

func (l *wire) sent() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.requests)
}

// before has the story act once, before the next request of that name.
func (l *wire) before(request string, act func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hooks[request] = act
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
	readCloser
	wire     *wire
	resource string
	ctx      context.Context
}

type readCloser = interface {
	Read([]byte) (int, error)
	Close() error
}

func (b *heldBody) Read(p []byte) (int, error) {
	n, err := b.readCloser.Read(p)
	if b.wire.delay != nil {
		time.Sleep(b.wire.delay("EVENT " + b.resource))
	}
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
