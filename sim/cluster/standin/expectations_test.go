package standin_test

import (
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// TestExpectations: kubevirt-behaviour 0.3, "timeout 5 min; SetExpectations
// overwrites the previous record".
func TestExpectations(t *testing.T) {
	const key, pod = "default/vm", "default/pod"
	for _, c := range []struct {
		name                          string
		do                            func(e standin.Expectations)
		now                           time.Duration
		satisfied, creating, deleting bool
	}{
		{"nothing", func(standin.Expectations) {}, 0, true, false, false},
		{"a creation", func(e standin.Expectations) { e.ExpectCreations(key, 1, 0) }, 0, false, true, false},
		{"seen", func(e standin.Expectations) { e.ExpectCreations(key, 1, 0); e.CreationObserved(key) }, 0, true, false, false},
		{"one of two seen", func(e standin.Expectations) { e.ExpectCreations(key, 2, 0); e.CreationObserved(key) }, 0, false, true, false},
		{"just in time", func(e standin.Expectations) { e.ExpectCreations(key, 1, 0) }, 5 * time.Minute, false, true, false},
		{"expired, and still shown as expected", func(e standin.Expectations) { e.ExpectCreations(key, 1, 0) }, 5*time.Minute + 1, true, true, false},
		{"a deletion", func(e standin.Expectations) { e.ExpectDeletion(key, pod, 0) }, 0, false, false, true},
		{"seen deleted", func(e standin.Expectations) { e.ExpectDeletion(key, pod, 0); e.DeletionObserved(key, pod) }, 0, true, false, false},
		{"another seen deleted", func(e standin.Expectations) { e.ExpectDeletion(key, pod, 0); e.DeletionObserved(key, "default/other") }, 0, false, false, true},
		{"a deletion overwrites a creation", func(e standin.Expectations) { e.ExpectCreations(key, 1, 0); e.ExpectDeletion(key, pod, 0) }, 0, false, false, true},
		{"another deletion overwrites the first", func(e standin.Expectations) {
			e.ExpectDeletion(key, "default/other", 0)
			e.ExpectDeletion(key, pod, 0)
			e.DeletionObserved(key, pod)
		}, 0, true, false, false},
		{"seen without being expected", func(e standin.Expectations) { e.CreationObserved(key); e.DeletionObserved(key, pod) }, 0, true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := standin.Expectations{}
			c.do(e)
			found := []bool{e.Satisfied(key, c.now), !e.AnyOpen(c.now), e.Creating(key), e.Deleting(key)}
			for i, want := range []bool{c.satisfied, c.satisfied, c.creating, c.deleting} {
				if found[i] != want {
					t.Errorf("satisfied, none open, creating, deleting: want number %d to be %v, found %v", i+1, want, found)
				}
			}
		})
	}
}
