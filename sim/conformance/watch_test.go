package conformance

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// follow opens a watch and gives a function that notes its next n events.
func (t *trial) follow(r dynamic.ResourceInterface, o metav1.ListOptions) func(n int) {
	t.tb.Helper()
	w, err := r.Watch(t.ctx, o)
	if err != nil {
		t.noteError("watch", err)
		return func(int) {}
	}
	t.tb.Cleanup(w.Stop)
	return func(n int) {
		t.tb.Helper()
		for range n {
			t.noteEvent(t.next(w))
		}
	}
}

// next waits for an event.
func (t *trial) next(w watch.Interface) (watch.Event, bool) {
	t.tb.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	select {
	case e, ok := <-w.ResultChan():
		return e, ok
	case <-ctx.Done():
		t.tb.Errorf("%s: no event within %s", t.server.name, patience)
		return watch.Event{}, false
	}
}

func (t *trial) noteEvent(e watch.Event, ok bool) {
	if !ok {
		t.note("watch", "closed")
		return
	}
	if u, is := e.Object.(*unstructured.Unstructured); is && e.Type == watch.Bookmark {
		// How far a bookmark says the server is depends on who else writes.
		u.SetResourceVersion("")
	}
	if e.Type == watch.Error {
		t.noteError("event ERROR", apierrors.FromObject(e.Object))
		return
	}
	t.note("event "+string(e.Type), e.Object)
}
