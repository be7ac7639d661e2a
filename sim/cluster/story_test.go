package cluster_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// A story is one run of the whole cluster, in which the migration is created at
// 1 s: times since then are what the tests look at.
type story struct {
	name     string
	settings map[string]string
	// given is merged into the migration; before is done before anything moves.
	given  map[string]any
	before func(w *world)
	// noNetwork leaves the network set-up out.
	noNetwork bool
	// during is done when the migration first has the phase.
	during string
	do     func(w *world)
	// until is how long the run goes on; default one minute.
	until time.Duration

	phases []string // with instants
	check  func(t *testing.T, w *world)
}

// run plays the story and returns what phases were seen.
func (s *story) run(t *testing.T) (*world, []string) {
	w := newWorld(t, s.settings)
	if !s.noNetwork {
		w.playKubeOVN()
	}
	if s.before != nil {
		s.before(w)
	}
	phases := w.Watch(facts.KindMigration, theMigration, "status", "phase")
	w.createMigration(time.Second, "migration", s.given)
	if s.during != "" {
		w.when(func() bool { return w.phase() == s.during }, func() { s.do(w) })
	}
	until := s.until
	if until == 0 {
		until = time.Minute
	}
	w.Engine.Advance(until)
	return w, *phases
}

// TestStories plays every story twice: it must take the same course.
func TestStories(t *testing.T) {
	for _, s := range slices.Concat(happyStories, timeoutStories, cancelStories, interferenceStories) {
		t.Run(s.name, func(t *testing.T) {
			w, phases := s.run(t)
			again, _ := s.run(t)
			if a, b := w.Engine.Trace().Hash, again.Engine.Trace().Hash; a != b {
				t.Errorf("want the same trace twice, found the hashes %x and %x", a, b)
			}
			if diff := cmp.Diff(s.phases, phases); diff != "" {
				t.Errorf("phases (-want +found):\n%s", diff)
			}
			if s.check != nil {
				s.check(t, w)
			}
		})
	}
}

// createMigration creates a migration of the machine.
func (w *world) createMigration(at time.Duration, name string, given map[string]any) {
	w.At(at, "create "+name, func() {
		meta := map[string]any{"name": name, "namespace": "default"}
		for key, value := range given {
			meta[key] = value
		}
		_, err := w.API.Create(map[string]any{
			"apiVersion": "kubevirt.io/v1", "kind": facts.KindMigration,
			"metadata": meta, "spec": map[string]any{"vmiName": "vm"},
		})
		if err != nil {
			w.T.Fatal(err)
		}
	})
}

// when calls do, once, right after the write that makes is true.
func (w *world) when(is func() bool, do func()) {
	done := false
	w.API.Observe(func(change) {
		if !done && is() {
			done = true
			do()
		}
	})
}

// want compares one field of an object; nil means that it is not set.
func (w *world) want(t *testing.T, kind, key string, want any, path ...string) {
	t.Helper()
	if diff := cmp.Diff(want, standin.Field(w.Object(kind, key), path...)); diff != "" {
		t.Errorf("%s %s, %v (-want +found):\n%s", kind, key, path, diff)
	}
}

// gone wants no object.
func (w *world) gone(t *testing.T, kind, key string) {
	t.Helper()
	if w.Object(kind, key) != nil {
		t.Errorf("want no %s %s, found one", kind, key)
	}
}
