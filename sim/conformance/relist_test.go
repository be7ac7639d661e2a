package conformance

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// A breaker stands between an informer and its server. When it is cut, all watches
// end, and new ones and lists wait; a watch that goes on after it was mended is told,
// as after a long time, that the history is forgotten. A reflector whose watch was
// very short lists anew without being told.
type breaker struct {
	next http.RoundTripper

	mu      sync.Mutex
	watches []io.Closer
	mended  chan struct{} // closed when watches may go on
	expired bool          // nobody listed since the cut: a watch is told so
}

func newBreaker(next http.RoundTripper) *breaker {
	b := &breaker{next: next, mended: make(chan struct{})}
	close(b.mended)
	return b
}

func (b *breaker) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mended, b.expired = make(chan struct{}), true
	for _, w := range b.watches {
		_ = w.Close() // it is broken on purpose
	}
	b.watches = nil
}

func (b *breaker) mend() { close(b.mended) }

// RoundTrip implements http.RoundTripper.
func (b *breaker) RoundTrip(req *http.Request) (*http.Response, error) {
	query := req.URL.Query()
	watches := query.Get("watch") != ""
	goesOn := watches && query.Get("sendInitialEvents") != "true"
	refused, mended, err := b.wait(req, goesOn)
	if refused != nil || err != nil {
		return refused, err
	}
	resp, err := b.next.RoundTrip(req)
	if err == nil && watches {
		b.keep(resp.Body, mended)
	}
	return resp, err
}

// keep remembers an open watch. One that was asked for before the cut, and is
// answered after it, is cut as well: nobody could tell which was first.
func (b *breaker) keep(watch io.Closer, mended <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mended != mended {
		_ = watch.Close() // it is broken on purpose
		return
	}
	b.watches = append(b.watches, watch)
}

// wait holds a request up until the breaker is mended, and says by which mending it
// went on; it returns an answer if a watch that goes on where another one ended gets
// none from the server.
func (b *breaker) wait(req *http.Request, goesOn bool) (*http.Response, <-chan struct{}, error) {
	b.mu.Lock()
	mended := b.mended
	b.mu.Unlock()
	select {
	case <-mended:
	case <-req.Context().Done():
		return nil, nil, req.Context().Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	refused := b.expired && goesOn
	b.expired = false
	if refused {
		return expired(req), mended, nil
	}
	return nil, mended, nil
}

func expired(req *http.Request) *http.Response {
	const status = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old resource version"}`
	return &http.Response{StatusCode: http.StatusGone, Request: req, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(status))}
}

// relist lets an informer miss the end of an object, the end of another whose name
// returns, and a change: it learns of all three by a list. That an object is gone
// it can only conclude, and shows the last state that it knows.
func relist(t *trial) {
	for _, name := range []string{"gone", "again", "changed"} {
		t.configMap(name)
	}
	config := rest.CopyConfig(t.server.config)
	config.QPS = -1
	var b *breaker
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		b = newBreaker(next)
		return b
	})
	client := need(kubernetes.NewForConfig(config))(t)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(t.ns))
	informer := factory.Core().V1().ConfigMaps().Informer()
	told := make(chan string, 10)
	need(informer.AddEventHandler(telling(told)))(t)
	factory.StartWithContext(t.ctx)
	t.noteSorted("the first list", told, 3)
	b.cut()
	t.ok(t.configMaps().Delete(t.ctx, "gone", metav1.DeleteOptions{}))
	t.ok(t.configMaps().Delete(t.ctx, "again", metav1.DeleteOptions{}))
	t.configMap("again")
	t.patch(t.configMaps(), "changed", types.MergePatchType, `{"data":{"a":"2"}}`)
	b.mend()
	t.noteSorted("the second list", told, 3)
	t.ok(t.configMaps().Delete(t.ctx, "changed", metav1.DeleteOptions{}))
	t.noteSorted("the watch after it", told, 1)
}

// telling are handlers that say what they are told.
func telling(told chan<- string) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { told <- "added " + stateOf(o) },
		UpdateFunc: func(old, now any) {
			same := old.(*corev1.ConfigMap).UID == now.(*corev1.ConfigMap).UID
			told <- fmt.Sprintf("updated %s, from %s, the same object: %v", stateOf(now), stateOf(old), same)
		},
		DeleteFunc: func(o any) {
			if tombstone, ok := o.(cache.DeletedFinalStateUnknown); ok {
				told <- "tombstone of " + stateOf(tombstone.Obj)
				return
			}
			told <- "deleted " + stateOf(o)
		},
	}
}

func stateOf(o any) string {
	m := o.(*corev1.ConfigMap)
	return m.Name + " with a=" + m.Data["a"]
}

// noteSorted notes the next n things told: what one list tells has no order.
func (t *trial) noteSorted(what string, told <-chan string, n int) {
	t.tb.Helper()
	var all []string
	for range n {
		select {
		case s := <-told:
			all = append(all, s)
		case <-t.ctx.Done():
			t.tb.Fatalf("%s: %s: want %d things told, found %q", t.server.name, what, n, all)
		}
	}
	slices.Sort(all)
	t.note(what, all)
}
