package apiserver

import (
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Options are what a server is made of.
type Options struct {
	// Clock gives the timestamps; nil stands still at 2000-01-01T00:00:00Z.
	Clock engine.Clock
	// Seed decides all UIDs and generated names.
	Seed uint64
	// Resources are the kinds served; nil means Builtin and KubeVirt.
	Resources []Resource
	// History is how many writes of each resource the server remembers for
	// watches and for lists of the past; 0 means 10,000. A watch from before
	// them fails with 410 Gone.
	History int
}

const defaultHistory = 10_000

// A Server is a simulated kube-apiserver. It is not safe for concurrent use,
// except through Transport and Locked.
type Server struct {
	clock   engine.Clock
	history int
	catalog *catalog
	stores  []store // by resource.index
	version uint64
	times   []instant // of the writes, by time
	identity

	observers []func(engine.Change)
	pending   []commit // writes that nobody was told of yet
	telling   bool

	mu sync.Mutex // of Transport and Locked
}

var _ engine.Server = (*Server)(nil)

// New makes an empty server. Servers of the same resources share all static
// tables, so one can be made for every run.
func New(o Options) *Server {
	if o.Clock == nil {
		o.Clock = still{}
	}
	if o.Resources == nil {
		o.Resources = everything
	}
	if o.History == 0 {
		o.History = defaultHistory
	}
	c := catalogOf(o.Resources)
	return &Server{
		clock:   o.Clock,
		history: o.History,
		catalog: c,
		stores:  make([]store, len(c.resources)),
		// Clients take version 0 for "any", so the empty server is at 1.
		version:  1,
		identity: identity{seed: o.Seed},
	}
}

var everything = append(Builtin(), KubeVirt()...)

type still struct{}

func (still) Elapsed() time.Duration { return 0 }
func (still) Wall() time.Time        { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// Version is the resourceVersion of the last write; 1 before the first.
func (s *Server) Version() uint64 { return s.version }

// Observe registers a function that is told of every write, synchronously and in
// order. A write that an observer makes itself is told after the one in hand.
func (s *Server) Observe(f func(engine.Change)) { s.observers = append(s.observers, f) }

// Locked runs f while no request is served through Transport: for tests that
// look into a server which clients are using.
func (s *Server) Locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// Compact forgets the history of a kind, as a real server's storage does after
// some minutes: watches and lists from an earlier resourceVersion get 410 Gone.
// Open watches do not notice. An unknown kind is an error.
func (s *Server) Compact(kind string) error {
	res, err := s.kind(kind)
	if err != nil {
		return err
	}
	st := s.store(res)
	st.forget(len(st.log))
	return nil
}

func (s *Server) store(r *resource) *store { return &s.stores[r.index] }

// kind finds a resource by what references call its kind.
func (s *Server) kind(name string) (*resource, error) {
	if r := s.catalog.byKind[name]; r != nil {
		return r, nil
	}
	return nil, apierrors.NewBadRequest(fmt.Sprintf("kind %q is not served: want one of the kinds that the server was made with", name))
}

// now is the timestamp of a write, to the second as in metav1.Time.
func (s *Server) now() string {
	return s.clock.Wall().UTC().Truncate(time.Second).Format(time.RFC3339)
}
