package vmim

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// api is the API server of a world.
type api struct {
	*apiserver.Server
	t *testing.T
}

func newAPI(t *testing.T, resources []apiserver.Resource) *api {
	return &api{apiserver.New(apiserver.Options{Clock: sinceNow{time.Now()}, Resources: resources}), t}
}

// put creates an object or replaces it, status included.
func (a *api) put(obj runtime.Object) {
	a.t.Helper()
	a.Locked(func() {
		if _, err := a.Load(apiserver.ToContent(obj.DeepCopyObject())); err != nil {
			a.t.Errorf("put %T: %v", obj, err)
		}
	})
}

// remove deletes an object at once.
func (a *api) remove(obj runtime.Object) {
	a.t.Helper()
	m, kind := obj.(metav1.Object), obj.GetObjectKind().GroupVersionKind().Kind
	a.Locked(func() {
		ref := engine.Ref{Kind: kind, Namespace: m.GetNamespace(), Name: m.GetName()}
		if err := a.Delete(ref, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}); err != nil {
			a.t.Errorf("delete %s: %v", ref, err)
		}
	})
}

type sinceNow struct{ start time.Time }

func (c sinceNow) Elapsed() time.Duration { return time.Since(c.start) }
func (c sinceNow) Wall() time.Time        { return time.Now() }
