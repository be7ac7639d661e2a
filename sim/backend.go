package sim

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// An API is the API server of a World, as the engine, the stand-ins and the
// timeline use it. *apiserver.Server is one; a client of a real server can be
// another. Everything is called from the engine's goroutine.
type API interface {
	standin.API
	engine.Server
	// Load stores an object as a story gives it, uid and status included.
	Load(content map[string]any) (*apiserver.Object, error)
	// PatchAsClient is Patch by a user, which the kind's schema is held against.
	PatchAsClient(ref engine.Ref, pt types.PatchType, data []byte, subresource string) (*apiserver.Object, error)
	Evict(pod engine.Ref, opts metav1.DeleteOptions) error
	// Observe registers a function that is told of every write, in order.
	Observe(func(engine.Change))
	// Version is the resourceVersion of the last write that is known.
	Version() uint64
}

// A State is what the conditions of a story read: the result of all writes that
// the engine was told of so far.
type State interface {
	Get(ref engine.Ref) (*apiserver.Object, error)
	List(kind, namespace string) []*apiserver.Object
}

// server makes the API server of a run.
func (o *Options) server(clock engine.Clock) (API, State) {
	if o.Server != nil {
		return o.Server(clock)
	}
	s := apiserver.New(apiserver.Options{Clock: clock, Seed: o.Seed, Resources: resources()})
	return s, s
}

// Resources are the kinds that stories are about.
func Resources() []apiserver.Resource { return resources() }

// Conclude judges a run that was driven by something else than Run: the world's
// engine has seen all of it, at times that may be off by jitter.
func (w *World) Conclude(jitter time.Duration) *Result {
	w.monitor.Jitter(jitter)
	r := &Result{Story: w.Story, Variant: w.Variant}
	w.result(r, lockstep.Report{}, nil)
	return r
}
