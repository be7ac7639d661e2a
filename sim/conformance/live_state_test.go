//go:build conformance

package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// liveAPI is the API server of a World that is a real one. The kinds of other
// systems, which no API server has, stay in memory.
type liveAPI struct {
	ctx    context.Context //nolint:containedctx // it is the run's life
	pair   *pair
	host   *liveHost
	kinds  kinds
	memory *apiserver.Server
	clock  engine.Clock
	start  time.Time

	// objects are what etcd's history came to, by kind and key: all kinds in one
	// order, which watches of the API server do not give.
	objects   map[engine.Ref]*apiserver.Object
	version   uint64
	observers []func(engine.Change)
	loads     uint64
}

func newLiveAPI(ctx context.Context, p *pair, host *liveHost, clock engine.Clock, start time.Time) *liveAPI {
	return &liveAPI{ctx: ctx, pair: p, host: host, kinds: storyKinds(), clock: clock, start: start,
		memory:  apiserver.New(apiserver.Options{Clock: clock, Seed: 1, Resources: sim.Resources()}),
		objects: map[engine.Ref]*apiserver.Object{}}
}

// Describe implements engine.Server.
func (a *liveAPI) Describe(r *engine.Request) engine.RequestInfo { return a.memory.Describe(r) }

// JSON implements engine.Server.
func (a *liveAPI) JSON(r *engine.Request) ([]byte, error) { return a.memory.JSON(r) }

// Serve implements engine.Server: nobody asks, for no request waits at the gate.
func (a *liveAPI) Serve(*engine.Request) *engine.Response {
	panic("conformance: a request of a real run reached the gate")
}

// Version implements sim.API.
func (a *liveAPI) Version() uint64 { return a.version }

// Observe implements sim.API.
func (a *liveAPI) Observe(f func(engine.Change)) {
	a.memory.Observe(f)
	a.observers = append(a.observers, f)
}

// List implements standin.API.
func (a *liveAPI) List(kind, namespace string) []*apiserver.Object {
	return a.state().List(kind, namespace)
}

func (a *liveAPI) state() liveState { return liveState{a} }

// liveState is what the history of etcd came to so far.
type liveState struct{ api *liveAPI }

// Get implements sim.State.
func (s liveState) Get(ref engine.Ref) (*apiserver.Object, error) {
	if s.api.kinds.internal(ref.Kind) {
		return s.api.memory.Get(ref)
	}
	if o := s.api.objects[ref]; o != nil {
		return o, nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: s.api.kinds[ref.Kind].Plural}, ref.Name)
}

// List implements sim.State.
func (s liveState) List(kind, namespace string) []*apiserver.Object {
	if s.api.kinds.internal(kind) {
		return s.api.memory.List(kind, namespace)
	}
	var all []*apiserver.Object
	for ref, o := range s.api.objects {
		if ref.Kind == kind && (namespace == "" || ref.Namespace == namespace) {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(x, y *apiserver.Object) int { return strings.Compare(x.Ref().Key(), y.Ref().Key()) })
	return all
}

// follow reads etcd's history from a revision on.
func (a *liveAPI) follow(from int64) {
	for answer := range a.pair.etcd.Watch(a.ctx, "/registry/", clientv3.WithPrefix(), clientv3.WithPrevKV(), clientv3.WithRev(from)) {
		if err := answer.Err(); err != nil {
			a.host.fail(fmt.Errorf("watching etcd: %w", err))
			return
		}
		for _, ev := range answer.Events {
			a.host.post(func() { a.committed(ev) })
		}
	}
}

// committed puts one write of etcd's history into the run's.
func (a *liveAPI) committed(ev *clientv3.Event) {
	value := ev.Kv.Value
	if ev.Type == clientv3.EventTypeDelete && ev.PrevKv != nil {
		value = ev.PrevKv.Value
	}
	content := map[string]any{}
	if utiljson.Unmarshal(value, &content) != nil {
		return // not an object
	}
	o := a.adopt(content, ev.Kv.ModRevision)
	if o == nil {
		return
	}
	p := engine.Point{Process: "etcd", Verb: "commit", Kind: o.Ref().Kind, Object: o.Ref().Key()}
	a.host.world.Engine.After(p, 0, func() engine.Outcome {
		a.take(o, ev.Type == clientv3.EventTypeDelete)
		return engine.Outcome{Text: "ok", Version: o.Version()}
	})
}

// adopt is nil for kinds that no story is about.
func (a *liveAPI) adopt(content map[string]any, revision int64) *apiserver.Object {
	meta, ok := content["metadata"].(map[string]any)
	if !ok || a.kinds.refOf(content).Kind == "" {
		return nil
	}
	meta["resourceVersion"] = strconv.FormatInt(revision, 10)
	o, err := a.memory.Adopt(content)
	if err != nil {
		a.host.fail(err)
		return nil
	}
	return o
}

// take makes a write known to whoever observes; one that is known already is not
// told of again.
func (a *liveAPI) take(o *apiserver.Object, gone bool) {
	before := a.objects[o.Ref()]
	if before != nil && before.Version() >= o.Version() {
		return
	}
	a.version = max(a.version, o.Version())
	change := engine.Change{Type: engine.Added, Ref: o.Ref()}
	if before != nil {
		change.Type, change.Before = engine.Modified, before
	}
	if gone {
		change.Type = engine.Deleted
		delete(a.objects, o.Ref())
	} else {
		change.After, a.objects[o.Ref()] = o, o
	}
	for _, f := range a.observers {
		f(change)
	}
}

// Load implements sim.API. What a client could not set goes around the API server,
// into its etcd: a story gives uids, status and times.
func (a *liveAPI) Load(content map[string]any) (*apiserver.Object, error) {
	ref := a.kinds.refOf(content)
	switch {
	case ref.Kind == "":
		return nil, fmt.Errorf("objects of kind %v are not taken away after a run: add the kind to storyKinds", content["kind"])
	case a.kinds.internal(ref.Kind):
		return a.memory.Load(content)
	}
	whole, err := a.complete(content, a.objects[ref])
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	put, err := a.pair.etcd.Put(a.ctx, a.kinds.prefix(ref.Kind)+ref.Key(), string(data))
	if err != nil {
		return nil, err
	}
	o := a.adopt(whole, put.Header.Revision)
	a.take(o, false)
	return o, nil
}

// complete fills in what the simulated server does.
func (a *liveAPI) complete(content map[string]any, before *apiserver.Object) (map[string]any, error) {
	a.loads++
	s := apiserver.New(apiserver.Options{Clock: a.clock, Seed: a.loads, Resources: sim.Resources()})
	if before != nil {
		if _, err := s.Load(maps.Clone(before.Content())); err != nil {
			return nil, err
		}
	}
	moved, err := a.moved(content)
	if err != nil {
		return nil, err
	}
	o, err := s.Load(moved)
	if err != nil {
		return nil, err
	}
	whole := maps.Clone(o.Content())
	meta := maps.Clone(whole["metadata"].(map[string]any))
	delete(meta, "resourceVersion")
	whole["metadata"] = meta
	return whole, nil
}

var instantInJSON = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"`)

// storyStart is the instant that the times in stories are written for.
var storyStart = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// moved moves the times in an object to the present.
func (a *liveAPI) moved(content map[string]any) (map[string]any, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	data = instantInJSON.ReplaceAllFunc(data, func(text []byte) []byte {
		at, err := time.Parse(`"`+time.RFC3339+`"`, string(text))
		if err != nil {
			return text // it only looks like a time
		}
		return []byte(a.start.UTC().Add(at.Sub(storyStart)).Format(`"` + time.RFC3339 + `"`))
	})
	out := map[string]any{}
	return out, utiljson.Unmarshal(data, &out)
}
