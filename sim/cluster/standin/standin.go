package standin

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// An API is what stand-ins ask of an API server: the simulated one, or a client of
// a real one.
type API interface {
	Get(ref engine.Ref) (*apiserver.Object, error)
	List(kind, namespace string) []*apiserver.Object
	Create(content map[string]any) (*apiserver.Object, error)
	Update(content map[string]any, subresource string) (*apiserver.Object, error)
	Patch(ref engine.Ref, pt types.PatchType, data []byte, subresource string) (*apiserver.Object, error)
	Delete(ref engine.Ref, opts metav1.DeleteOptions) error
	Bind(pod engine.Ref, node string) error
	Watch(kind string, o apiserver.WatchOptions) (engine.Watch, error)
}

// A Host is where stand-ins live: the engine's gate and the API server.
type Host struct {
	Gate engine.Gate
	API  API
}

// A StandIn is one process of the simulated cluster. All that it has under way
// ends with Stop, as when a process is killed.
type StandIn struct {
	Host
	// Process is its name in decision points: "kube-scheduler".
	Process string

	feeds    []func()
	offers   map[uint64]func() // cancels of what is under way
	next     uint64
	queues   []*Queue
	unsynced int // views that still wait for their initial state
	stopped  bool
}

// New makes a process that does nothing yet.
func New(h Host, process string) *StandIn {
	return &StandIn{Host: h, Process: process, offers: map[uint64]func(){}}
}

// Stop kills the process: its watches close, and its timers, queue and writes
// under way are dropped. It may be called more than once.
func (s *StandIn) Stop() {
	s.stopped = true
	for _, stop := range s.feeds {
		stop()
	}
	s.feeds = nil
	for id, cancel := range s.offers { // dropping has no order that could show
		cancel()
		delete(s.offers, id)
	}
}

// After has run called when the decision p, due after delay, is granted. The
// returned function takes it back; it may be called at any time.
func (s *StandIn) After(p engine.Point, delay time.Duration, run func() engine.Outcome) (cancel func()) {
	return s.offer(p, run, func(p engine.Point, run func() engine.Outcome) func() {
		return s.Gate.After(p, delay, run)
	})
}

// Timer is After for a delay of the process' own. detail says what is over:
// "pending target pod timeout 900s".
func (s *StandIn) Timer(ref engine.Ref, detail string, delay time.Duration, run func()) (cancel func()) {
	p := engine.Point{Verb: engine.VerbTimer, Kind: ref.Kind, Object: ref.Key(), Detail: detail}
	return s.After(p, delay, func() engine.Outcome {
		run()
		return engine.Outcome{Text: OK}
	})
}

// OK is the outcome of what went well.
const OK = "ok"

func (s *StandIn) submit(p engine.Point, run func() engine.Outcome) {
	s.offer(p, run, s.Gate.Submit)
}

func (s *StandIn) offer(p engine.Point, run func() engine.Outcome,
	raise func(engine.Point, func() engine.Outcome) func()) (cancel func()) {
	if s.stopped {
		return func() {}
	}
	p.Process = s.Process
	s.next++
	id := s.next
	s.offers[id] = raise(p, func() engine.Outcome {
		delete(s.offers, id)
		return run()
	})
	return func() {
		if cancel, ok := s.offers[id]; ok {
			delete(s.offers, id)
			cancel()
		}
	}
}

// synced notes that one more view has its initial state.
func (s *StandIn) synced() {
	s.unsynced--
	for _, q := range s.queues {
		q.start()
	}
}
