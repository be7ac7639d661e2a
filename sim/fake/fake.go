// Package fake puts a client, such as one of the simulated API server, behind
// client-go's fake clientsets. Unit tests that build their controllers on
// k8s.io/client-go/kubernetes/fake, or on any generated fake, keep their fixtures
// and get the semantics of a real server; if the client's transport is a gate,
// their controllers are gated and replayed like those that were built on a
// rest.Config.
//
// It knows client-go alone: the client is given as a rest.Config.
//
// # What the plain fake gets wrong
//
//	                                             plain fake      behind a Route
//	update on a stale resourceVersion            accepted        409 Conflict
//	resourceVersion                              not kept        kept
//	uid, creationTimestamp, generation           not set         set
//	generateName                                 empty names     names
//	finalizers                                   object is gone  object stays, marked
//	graceful deletion of pods                    object is gone  object stays, marked
//	status through the main endpoint             changed         left alone
//	field selectors in lists                     ignored         heeded
//	watch from a list's resourceVersion          misses events   no gap
//	deletion preconditions                       ignored         409 Conflict
//	names and labels                             not validated   422 Invalid
//	PodDisruptionBudgets in evictions            ignored         429 TooManyRequests
package fake

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
)

// Route sends all that a fake clientset is asked to the server of a rest.Config.
// scheme must know the fake's types: it is the one that the fake itself uses.
// Reactors that are prepended later still come first. An object that was given to
// the fake's constructor is in the fake's own tracker, which nobody asks any more:
// create it through the clientset instead.
func Route(f *clienttesting.Fake, config *rest.Config, scheme *runtime.Scheme) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("routing a fake clientset: %w", err)
	}
	r := router{fake: f, client: client, scheme: scheme}
	f.PrependReactor("*", "*", r.react)
	f.PrependWatchReactor("*", r.watch)
	return nil
}

type router struct {
	fake   *clienttesting.Fake
	client dynamic.Interface
	scheme *runtime.Scheme
}

// unlocked runs a request without the lock that a fake holds while it reacts. A
// request that waits at a gate would otherwise keep all others from arriving
// there, and a goroutine that waits for a mutex keeps virtual time from passing.
func (r router) unlocked(request func()) {
	r.fake.Unlock()
	defer r.fake.Lock()
	request()
}

func (r router) endpoint(a clienttesting.Action) dynamic.ResourceInterface {
	all := r.client.Resource(a.GetResource())
	if ns := a.GetNamespace(); ns != "" {
		return all.Namespace(ns)
	}
	return all
}

func (r router) react(a clienttesting.Action) (handled bool, ret runtime.Object, err error) {
	r.unlocked(func() { handled, ret, err = r.request(a) })
	return handled, ret, err
}

func (r router) request(a clienttesting.Action) (bool, runtime.Object, error) {
	ctx, to, sub := context.Background(), r.endpoint(a), subresources(a)
	var u *unstructured.Unstructured
	var err error
	switch a := a.(type) {
	case clienttesting.ListActionImpl:
		return r.list(ctx, a)
	case clienttesting.GetActionImpl:
		u, err = to.Get(ctx, a.Name, a.GetOptions, sub...)
	case clienttesting.CreateActionImpl:
		return r.create(ctx, a)
	case clienttesting.UpdateActionImpl:
		var given *unstructured.Unstructured
		if given, err = r.untyped(a.Object, a); err == nil {
			u, err = to.Update(ctx, given, a.UpdateOptions, sub...)
		}
	case clienttesting.PatchActionImpl:
		u, err = to.Patch(ctx, a.Name, a.PatchType, a.Patch, a.PatchOptions, sub...)
	case clienttesting.DeleteActionImpl:
		return true, nil, to.Delete(ctx, a.Name, a.DeleteOptions, sub...)
	case clienttesting.DeleteCollectionActionImpl:
		return true, nil, to.DeleteCollection(ctx, a.DeleteOptions, a.ListOptions)
	default:
		return false, nil, nil
	}
	if err != nil {
		return true, nil, err
	}
	typed, err := r.typed(u)
	return true, typed, err
}

func subresources(a clienttesting.Action) []string {
	if s := a.GetSubresource(); s != "" {
		return []string{s}
	}
	return nil
}

// create also serves what is posted below an object: bindings and evictions.
func (r router) create(ctx context.Context, a clienttesting.CreateActionImpl) (bool, runtime.Object, error) {
	given, err := r.untyped(a.Object, a)
	if err != nil {
		return true, nil, err
	}
	if a.GetSubresource() != "" && a.Name == "" {
		a.Name = given.GetName()
	}
	if a.GetSubresource() != "" {
		given.SetName(a.Name)
	}
	u, err := r.endpoint(a).Create(ctx, given, a.CreateOptions, subresources(a)...)
	if err != nil {
		return true, nil, err
	}
	if u.GetKind() == "Status" { // that it was done is all that the server says
		return true, a.Object, nil
	}
	typed, err := r.typed(u)
	return true, typed, err
}

func (r router) list(ctx context.Context, a clienttesting.ListActionImpl) (bool, runtime.Object, error) {
	found, err := r.endpoint(a).List(ctx, a.ListOptions)
	if err != nil {
		return true, nil, err
	}
	gvk := a.Kind
	gvk.Kind += "List"
	list, err := r.scheme.New(gvk)
	if err != nil {
		return true, nil, err
	}
	content := found.UnstructuredContent()
	return true, list, runtime.DefaultUnstructuredConverter.FromUnstructured(content, list)
}

// untyped gives an object of the fake as the server takes it.
func (r router) untyped(o runtime.Object, a clienttesting.Action) (*unstructured.Unstructured, error) {
	kinds, _, err := r.scheme.ObjectKinds(o)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("a fake clientset was given a %T for %s: %v", o, a.GetResource(), err))
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kinds[0])
	return u, nil
}

func (r router) typed(u *unstructured.Unstructured) (runtime.Object, error) {
	o, err := r.scheme.New(u.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	return o, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o)
}

func (r router) watch(a clienttesting.Action) (handled bool, ret watch.Interface, err error) {
	o := metav1.ListOptions{}
	if w, ok := a.(clienttesting.WatchActionImpl); ok {
		o = w.ListOptions
	}
	r.unlocked(func() { ret, err = r.endpoint(a).Watch(context.Background(), o) })
	if err != nil {
		return true, nil, err
	}
	return true, r.typedWatch(ret), nil
}

// typedWatch is a watch of typed objects. Unlike a watch.Filter it ends with Stop,
// also while an event waits that nobody will take any more.
func (r router) typedWatch(from watch.Interface) watch.Interface {
	w := &typedWatch{from: from, result: make(chan watch.Event), done: make(chan struct{})}
	go func() {
		defer close(w.result)
		for e := range from.ResultChan() {
			select {
			case w.result <- r.typedEvent(e):
			case <-w.done:
				return
			}
		}
	}()
	return w
}

func (r router) typedEvent(e watch.Event) watch.Event {
	u, ok := e.Object.(*unstructured.Unstructured)
	if !ok {
		return e
	}
	typed, err := r.typed(u)
	if err != nil {
		return watch.Event{Type: watch.Error, Object: &apierrors.NewInternalError(err).ErrStatus}
	}
	return watch.Event{Type: e.Type, Object: typed}
}

type typedWatch struct {
	from   watch.Interface
	result chan watch.Event
	done   chan struct{}
	once   sync.Once
}

// ResultChan implements watch.Interface.
func (w *typedWatch) ResultChan() <-chan watch.Event { return w.result }

// Stop implements watch.Interface.
func (w *typedWatch) Stop() {
	w.once.Do(func() {
		close(w.done)
		w.from.Stop()
	})
}
