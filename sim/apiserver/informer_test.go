package apiserver

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// recorder notes requests and can refuse watch lists and break watches.
type recorder struct {
	http.RoundTripper
	noWatchList bool

	mu       sync.Mutex
	requests []string
	bodies   []*breakable
}

type breakable struct {
	*watchBody
	broken chan struct{}
}

func (b *breakable) Read(p []byte) (int, error) {
	n, err := b.watchBody.Read(p)
	select {
	case <-b.broken:
		return 0, io.EOF
	default:
		return n, err
	}
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	q := request.URL.Query()
	verb := "list"
	switch {
	case q.Get("sendInitialEvents") == "true":
		verb = "watch-list"
	case q.Get("watch") != "":
		verb = "watch"
	}
	if verb == "watch-list" && r.noWatchList {
		// Without the match the server refuses it, with the 422 that a server
		// without the feature gives.
		q.Del("resourceVersionMatch")
		request = request.Clone(request.Context())
		request.URL.RawQuery = q.Encode()
	}
	r.mu.Lock()
	r.requests = append(r.requests, verb)
	r.mu.Unlock()
	response, err := r.RoundTripper.RoundTrip(request)
	if body, ok := responseBody(response).(*watchBody); ok {
		b := &breakable{body, make(chan struct{})}
		r.bodies = append(r.bodies, b)
		response.Body = b
	}
	return response, err
}

func responseBody(r *http.Response) any {
	if r == nil {
		return nil
	}
	return r.Body
}

func TestInformers(t *testing.T) {
	for _, tc := range []struct {
		name        string
		noWatchList bool
		requests    []string
	}{
		{"watch list", false, []string{"watch-list"}},
		{"list and watch", true, []string{"watch-list", "list", "watch"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _ := newTestServer(t)
				for i := range 3 {
					mustCreate(t, s, podNamed(fmt.Sprint("p", i)))
				}
				r := &recorder{RoundTripper: s.Transport(), noWatchList: tc.noWatchList}
				seen, store, stop := startInformer(t, s, r)
				defer stop()
				if diff := cmp.Diff([]string{"add p0", "add p1", "add p2"}, seen()); diff != "" {
					t.Errorf("initial events (-want +got):\n%s", diff)
				}
				s.Locked(func() {
					mustCreate(t, s, podNamed("late"))
					if _, err := s.Patch(s.List("Pod", "")[1].Ref(), "application/merge-patch+json", []byte(`{"metadata":{"labels":{"a":"b"}}}`), ""); err != nil {
						t.Error(err)
					}
					if err := s.Delete(s.List("Pod", "")[3].Ref(), metav1.DeleteOptions{}); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait()
				if diff := cmp.Diff([]string{"add late", "update p0", "update p2", "delete p2"}, seen()); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
				if got := len(store.ListKeys()); got != 3 {
					t.Errorf("want 3 pods in the cache, got %d", got)
				}
				if diff := cmp.Diff(tc.requests, r.requests); diff != "" {
					t.Errorf("requests (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// An informer whose watch breaks, and that comes back after the history is gone,
// lists again and ends with the same state.
func TestInformerRecoversFromGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newTestServer(t)
		mustCreate(t, s, podNamed("old"))
		r := &recorder{RoundTripper: s.Transport()}
		seen, store, stop := startInformer(t, s, r)
		defer stop()
		seen()
		s.Locked(func() {
			close(r.bodies[0].broken) // before the events that wake its reader
			if err := s.Delete(s.List("Pod", "")[0].Ref(), metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
			mustCreate(t, s, podNamed("new"))
			if err := s.Compact("Pod"); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Minute) // virtual: longer than the reflector's back-off
		synctest.Wait()
		if diff := cmp.Diff([]string{"default/new"}, store.ListKeys()); diff != "" {
			t.Errorf("cache (-want +got):\n%s", diff)
		}
		got := strings.Join(seen(), ", ")
		if got != "delete old, add new" && got != "add new, delete old" {
			t.Errorf("want old deleted and new added, got %s", got)
		}
		// A reflector that saw nothing of its first watch lists at once.
		direct, again := []string{"watch-list", "watch-list"}, []string{"watch-list", "watch", "watch-list"}
		if !cmp.Equal(direct, r.requests) && !cmp.Equal(again, r.requests) {
			t.Errorf("requests: want %v or %v, got %v", again, direct, r.requests)
		}
	})
}

func podNamed(name string) string {
	return "{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: default}}"
}

// startInformer runs a pod informer in the bubble and waits until it is synced.
// seen takes the events so far.
func startInformer(t *testing.T, s *Server, r *recorder) (seen func() []string, store cache.Store, stop func()) {
	t.Helper()
	cfg := clientConfig(s)
	cfg.Transport = r
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(cfg), time.Hour)
	informer := factory.Core().V1().Pods().Informer()
	var mu sync.Mutex
	var events []string
	note := func(verb string, obj any) {
		mu.Lock()
		defer mu.Unlock()
		if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = tombstone.Obj
		}
		events = append(events, verb+" "+obj.(*corev1.Pod).Name)
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { note("add", obj) },
		UpdateFunc: func(_, obj any) { note("update", obj) },
		DeleteFunc: func(obj any) { note("delete", obj) },
	}); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	factory.Start(done)
	for !informer.HasSynced() {
		time.Sleep(time.Second) // virtual
	}
	synctest.Wait()
	seen = func() []string {
		mu.Lock()
		defer mu.Unlock()
		taken := events
		events = nil
		return taken
	}
	initial := seen() // in the order of a map of the informer
	slices.Sort(initial)
	events = initial
	return seen, informer.GetStore(), func() {
		close(done)
		factory.Shutdown()
	}
}
