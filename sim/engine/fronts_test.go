package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFrontsAsk(t *testing.T) {
	type list struct {
		at, want time.Duration
	}
	tests := []struct {
		name  string
		verb  string
		lists []list
	}{
		{"behind until it has caught up, counted from the first list", "list", []list{{70, 30}, {71, 30}, {99, 30}, {100, 0}, {500, 0}}},
		{"what is no list is no matter of a front-end", "watch", []list{{70, 0}, {71, 0}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := fronts{stopped: map[string]front{}}
			f.stop("a", 30)
			for _, l := range test.lists {
				r, other := &Request{Process: "a"}, &Request{Process: "b"}
				f.ask(r, RequestInfo{Verb: test.verb}, l.at)
				f.ask(other, RequestInfo{Verb: test.verb}, l.at)
				if diff := cmp.Diff([]time.Duration{l.want, 0}, []time.Duration{r.Stale, other.Stale}); diff != "" {
					t.Errorf("at %d, how far behind, and of another process (-want +got):\n%s", l.at, diff)
				}
			}
			f.stop("a", 0)
			r := &Request{Process: "a"}
			f.ask(r, RequestInfo{Verb: "list"}, 70)
			if r.Stale != 0 {
				t.Error("a process that starts again, with nothing said, asks a front-end that is behind")
			}
		})
	}
}

// However often a process lists, its front-end is behind for one stretch of time
// only: a run of which the last perturbation never ends would never be healed.
func TestFrontsHeal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ago := time.Duration(rapid.IntRange(1, 100).Draw(t, "ago"))
		steps := rapid.SliceOf(rapid.IntRange(0, 50)).Draw(t, "steps")
		f := fronts{stopped: map[string]front{}}
		f.stop("a", ago)
		now, first := time.Duration(0), time.Duration(-1)
		for _, step := range steps {
			now += time.Duration(step)
			if first < 0 {
				first = now
			}
			r := &Request{Process: "a"}
			f.ask(r, RequestInfo{Verb: "list"}, now)
			if behind := r.Stale > 0; behind != (now < first+ago) {
				t.Fatalf("at %d, first asked at %d: behind by %d", now, first, r.Stale)
			}
		}
	})
}
