package sim

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/vmreplay/vmreplay/fixtures"
	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/apiserver/crd"
	"github.com/vmreplay/vmreplay/sim/controllers/kvvm"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// deckhouseVM is the name of Deckhouse's kind VirtualMachine in scenarios and
// traces: KubeVirt has a kind of the same name, in another group.
const deckhouseVM = "DeckhouseVirtualMachine"

// deckhouse are the kinds of the group virtualization.deckhouse.io, with the schemas
// of their CRDs.
func deckhouse() []apiserver.Resource {
	names, err := fs.Glob(fixtures.FS, "crds/virtualization.deckhouse.io_*.yaml")
	if err != nil {
		panic("sim: " + err.Error())
	}
	var defined []apiserver.Resource
	for _, name := range names {
		text, err := fs.ReadFile(fixtures.FS, name)
		if err != nil {
			panic("sim: " + err.Error())
		}
		kinds, err := crd.Read(text)
		if err != nil {
			panic(fmt.Sprintf("sim: the CRD %s of this module cannot be used: %v", name, err))
		}
		defined = append(defined, kinds...)
	}
	return crd.Merge(deckhouseKinds(), defined)
}

func deckhouseKinds() []apiserver.Resource {
	group, version := v1alpha2.GroupVersion.Group, v1alpha2.GroupVersion.Version
	return []apiserver.Resource{
		{Group: group, Version: version, Plural: v1alpha2.VirtualMachineResource, Singular: "virtualmachine",
			Kind: v1alpha2.VirtualMachineKind, Key: deckhouseVM, ShortNames: []string{"vm"}, Namespaced: true, Status: true, Generation: true,
			New: func() runtime.Object { return new(v1alpha2.VirtualMachine) }},
		{Group: group, Version: version, Plural: v1alpha2.VirtualMachineClassResource, Singular: "virtualmachineclass",
			Kind: v1alpha2.VirtualMachineClassKind, ShortNames: []string{"vmclass"}, Status: true, Generation: true,
			New: func() runtime.Object { return new(v1alpha2.VirtualMachineClass) }},
	}
}

// kvvmSubject binds Deckhouse's VM controller to a process' environment.
func kvvmSubject() Subject {
	s := Subject{Type: "kvvm", Run: runKVVM}
	for _, v := range kvvm.Variants() {
		s.Variants = append(s.Variants, string(v))
	}
	return s
}

// quietRuntime keeps controller-runtime from complaining, 30 s after the start of
// the program, that nobody gave it a global logger.
var quietRuntime = sync.OnceFunc(func() { ctrllog.SetLogger(logr.Discard()) })

func runKVVM(ctx context.Context, env *lockstep.Env, variant string) error {
	quietRuntime()
	c, err := kvvm.New(RESTConfig(env), kvvm.Options{
		Variant: kvvm.Variant(variant),
		Logger:  withoutIDs(Logger(env)),
		NewQueue: func(name string, limiter kvvm.Limiter) kvvm.Queue {
			return PriorityQueue(env, name, limiter)
		},
	})
	if err != nil {
		return err
	}
	return c.Run(ctx)
}

// PriorityQueue is controller-runtime's own priority queue, which also tells the
// trace what is done with it, as Queue does. It counts nothing for Prometheus,
// which would wake it every 500 ms.
func PriorityQueue(env *lockstep.Env, name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) priorityqueue.PriorityQueue[reconcile.Request] {
	const uncounted = ""
	return notedPriorityQueue{
		PriorityQueue: priorityqueue.New(uncounted, func(o *priorityqueue.Opts[reconcile.Request]) { o.RateLimiter = limiter }),
		note:          func(op, key, text string) { env.Note(name, op, key, text) },
	}
}

type notedPriorityQueue struct {
	priorityqueue.PriorityQueue[reconcile.Request]
	note func(op, key, text string)
}

func (q notedPriorityQueue) AddWithOpts(o priorityqueue.AddOpts, items ...reconcile.Request) {
	op, text := engine.QueueAdd, ""
	switch {
	case o.RateLimited:
		op = engine.QueueRateLimited
	case o.After > 0:
		op, text = engine.QueueAddAfter, o.After.String()
	}
	for _, item := range items {
		q.note(op, item.String(), text)
	}
	q.PriorityQueue.AddWithOpts(o, items...)
}

func (q notedPriorityQueue) Add(item reconcile.Request) {
	q.AddWithOpts(priorityqueue.AddOpts{}, item)
}

func (q notedPriorityQueue) AddAfter(item reconcile.Request, d time.Duration) {
	q.AddWithOpts(priorityqueue.AddOpts{After: d}, item)
}

func (q notedPriorityQueue) AddRateLimited(item reconcile.Request) {
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, item)
}

func (q notedPriorityQueue) Forget(item reconcile.Request) {
	q.note(engine.QueueForget, item.String(), "")
	q.PriorityQueue.Forget(item)
}

func (q notedPriorityQueue) Done(item reconcile.Request) {
	q.note(engine.QueueDone, item.String(), "")
	q.PriorityQueue.Done(item)
}

func (q notedPriorityQueue) GetWithPriority() (reconcile.Request, int, bool) {
	item, priority, shutdown := q.PriorityQueue.GetWithPriority()
	if !shutdown {
		q.note(engine.QueueGet, item.String(), "")
	}
	return item, priority, shutdown
}

func (q notedPriorityQueue) Get() (reconcile.Request, bool) {
	item, _, shutdown := q.GetWithPriority()
	return item, shutdown
}

// withoutIDs drops the random number that controller-runtime gives to each attempt.
func withoutIDs(log logr.Logger) logr.Logger { return log.WithSink(idless{log.GetSink()}) }

type idless struct{ logr.LogSink }

func (s idless) WithValues(kv ...any) logr.LogSink {
	if len(kv) == 2 && kv[0] == "reconcileID" {
		return s
	}
	return idless{s.LogSink.WithValues(kv...)}
}

func (s idless) WithName(name string) logr.LogSink { return idless{s.LogSink.WithName(name)} }
