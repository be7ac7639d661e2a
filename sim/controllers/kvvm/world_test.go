package kvvm

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/features"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// listFirst are client-go's feature gates without streamed lists, whose objects
// come to a cache in random order.
type listFirst struct{ features.Gates }

func (g listFirst) Enabled(f features.Feature) bool {
	return f != features.WatchListClient && g.Gates.Enabled(f)
}

func TestMain(m *testing.M) {
	features.ReplaceFeatureGates(listFirst{features.FeatureGates()})
	klog.SetLogger(logr.Discard())
	ctrllog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// served are the kinds of the worlds' API servers.
var served = append(append(apiserver.Builtin(), apiserver.KubeVirt()...),
	apiserver.Resource{Group: "virtualization.deckhouse.io", Version: "v1alpha2", Plural: "virtualmachines", Singular: "virtualmachine",
		Kind: "VirtualMachine", Key: "DeckhouseVirtualMachine", Namespaced: true, Status: true, Generation: true,
		New: func() runtime.Object { return new(v1alpha2.VirtualMachine) }},
	apiserver.Resource{Group: "virtualization.deckhouse.io", Version: "v1alpha2", Plural: "virtualmachineclasses", Singular: "virtualmachineclass",
		Kind: "VirtualMachineClass", Status: true, Generation: true,
		New: func() runtime.Object { return new(v1alpha2.VirtualMachineClass) }})

// world is a controller that runs in a bubble against an API server in memory. No
// KubeVirt plays along: what it would do, the story does.
type world struct {
	t     *testing.T
	api   *apiserver.Server
	wire  *wire
	start time.Time
	end   context.CancelFunc
	ended chan error

	attempts atomic.Int64

	mu   sync.Mutex
	logs []string
}

type sinceNow struct{ start time.Time }

func (c sinceNow) Elapsed() time.Duration { return time.Since(c.start) }
func (c sinceNow) Wall() time.Time        { return time.Now() }

// inWorld runs a story with a controller of the variant in a bubble. The objects
// are there before the controller starts.
func inWorld(t *testing.T, v Variant, story func(*world), objects ...client.Object) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := apiserver.New(apiserver.Options{Clock: sinceNow{time.Now()}, Resources: served})
		w := &world{t: t, api: server, wire: newWire(server.Transport()), start: time.Now()}
		w.put(objects...)
		w.run(v)
		story(w)
		w.stop()
		time.Sleep(11 * time.Second) // what is due after the end is due by then
	})
}

// run starts a controller and waits until it is idle.
func (w *world) run(v Variant) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	w.end, w.ended = cancel, make(chan error, 1)
	c, err := New(&rest.Config{Host: "http://cluster", Transport: w.wire, QPS: -1}, Options{
		Variant: v, Logger: funcr.NewJSON(w.logged, funcr.Options{}), NewQueue: w.newQueue,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	go func() { w.ended <- c.Run(ctx) }()
	synctest.Wait()
	w.idle()
}

// newQueue makes a queue that counts what is taken from it.
func (w *world) newQueue(name string, limiter Limiter) Queue {
	return countingQueue{priorityqueue.New(name, func(o *priorityqueue.Opts[reconcile.Request]) { o.RateLimiter = limiter }), w}
}

type countingQueue struct {
	priorityqueue.PriorityQueue[reconcile.Request]
	world *world
}

func (q countingQueue) GetWithPriority() (reconcile.Request, int, bool) {
	item, priority, shutdown := q.PriorityQueue.GetWithPriority()
	if !shutdown {
		q.world.attempts.Add(1)
	}
	return item, priority, shutdown
}

// idle lets the retries of conflicts and the like go by.
func (w *world) idle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

// settle lets the requests go by that follow from one event.
func (w *world) settle() {
	time.Sleep(10 * time.Millisecond)
	synctest.Wait()
}

func (w *world) stop() {
	w.t.Helper()
	w.end()
	if err := <-w.ended; err != nil {
		w.t.Errorf("Run returned %v, want nil", err)
	}
}

func (w *world) logged(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.logs = append(w.logs, line)
}

// put creates or replaces objects, status included, and waits after each until the
// controller is idle: two events at once would reach it in random order.
func (w *world) put(objects ...client.Object) {
	for _, obj := range objects {
		w.putNow(obj)
		w.settle()
	}
}

// putNow does not wait: for use in the middle of a handler.
func (w *world) putNow(obj client.Object) {
	content := apiserver.ToContent(obj.DeepCopyObject())
	w.api.Locked(func() {
		if _, err := w.api.Load(content); err != nil {
			w.t.Errorf("put %T: %v", obj, err)
		}
	})
}

func refOf(obj client.Object) engine.Ref {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	if _, ok := obj.(*v1alpha2.VirtualMachine); ok {
		kind = "DeckhouseVirtualMachine"
	}
	return engine.Ref{Kind: kind, Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// edit changes an object as it is in the API server, and waits.
func edit[T client.Object](w *world, obj T, change func(T)) {
	w.t.Helper()
	editNow(w, obj, change)
	w.settle()
}

func editNow[T client.Object](w *world, obj T, change func(T)) {
	w.t.Helper()
	var ok bool
	now := obj.DeepCopyObject().(T)
	if now, ok = get(w, now); !ok {
		w.t.Errorf("there is no %s to be changed", refOf(obj))
		return
	}
	now.GetObjectKind().SetGroupVersionKind(obj.GetObjectKind().GroupVersionKind())
	change(now)
	w.putNow(now)
}

// get reads an object from the API server into obj.
func get[T client.Object](w *world, obj T) (T, bool) {
	w.t.Helper()
	found := false
	fresh := obj.DeepCopyObject().(T)
	w.api.Locked(func() {
		o, err := w.api.Get(refOf(obj))
		if err != nil {
			return
		}
		found = true
		fresh = newOf(obj)
		if err := json.Unmarshal(o.JSON(), fresh); err != nil {
			w.t.Error(err)
		}
	})
	return fresh, found
}

func newOf[T client.Object](obj T) T {
	gvk := obj.GetObjectKind().GroupVersionKind()
	o, err := types().New(gvk)
	if err != nil {
		panic(err)
	}
	return o.(T)
}

// remove deletes an object as a user would, and waits.
func (w *world) remove(obj client.Object) {
	w.t.Helper()
	w.api.Locked(func() {
		if err := w.api.Delete(refOf(obj), metav1.DeleteOptions{}); err != nil {
			w.t.Errorf("delete %s: %v", refOf(obj), err)
		}
	})
	w.settle()
}

// wantActs compares what the controller wrote since the last look, but for the VM's
// own status.
func (w *world) wantActs(want ...string) {
	w.t.Helper()
	got := slices.DeleteFunc(w.wire.writes(), func(r string) bool { return r == "PUT vm/status" })
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		w.t.Errorf("%v: writes (-want +got):\n%s", time.Since(w.start), diff)
	}
}
