package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vmreplay/vmreplay/sim/engine"
)

func TestHoldAndLag(t *testing.T) {
	tests := []struct {
		name string
		// set is called before the watch is fed.
		set     func(*engine.Engine) *engine.Rule
		release time.Duration
		want    []string
	}{
		{"no rule", nil, 0, []string{"2ms d/a", "2ms d/b", "2ms d/c"}},
		{
			"a lag replaces the latency",
			func(e *engine.Engine) *engine.Rule { return e.Lag("c", "Pod", "", 20*ms) }, 0,
			[]string{"20ms d/a", "20ms d/b", "20ms d/c"},
		},
		{
			"a lag of one object delays what comes behind it",
			func(e *engine.Engine) *engine.Rule { return e.Lag("c", "Pod", "d/b", 20*ms) }, 0,
			[]string{"2ms d/a", "20ms d/b", "20ms d/c"},
		},
		{
			"a hold stops the watch until it is released",
			func(e *engine.Engine) *engine.Rule { return e.Hold("c", "Pod", "") }, time.Second,
			[]string{"1s d/a", "1s d/b", "1s d/c"},
		},
		{
			"a hold of one object stops what comes behind it",
			func(e *engine.Engine) *engine.Rule { return e.Hold("c", "Pod", "d/b") }, time.Second,
			[]string{"2ms d/a", "1s d/b", "1s d/c"},
		},
		{
			"another process is not concerned",
			func(e *engine.Engine) *engine.Rule { return e.Hold("other", "Pod", "") }, 0,
			[]string{"2ms d/a", "2ms d/b", "2ms d/c"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, _ := newEngine(nil)
			var rule *engine.Rule
			if test.set != nil {
				rule = test.set(e)
			}
			if test.release > 0 {
				e.After(engine.Point{Process: "user", Verb: engine.VerbDo}, test.release, func() engine.Outcome {
					e.Release(rule)
					return engine.Outcome{}
				})
			}
			var got []string
			w := &source{initial: []engine.Event{pod("d/a", 1), pod("d/b", 2), pod("d/c", 3)}}
			e.Feed("c", "Pod", w, func(ev engine.Event) {
				got = append(got, fmt.Sprintf("%v %s", e.Elapsed(), ev.Revision.Ref().Key()))
			})
			e.Advance(time.Minute)
			want(t, "deliveries", got, test.want)
			if concerns := rule != nil && !slices.Equal(test.want, tests[0].want); rule != nil && rule.Matched() != concerns {
				t.Errorf("Matched is %v, want %v", rule.Matched(), concerns)
			}
		})
	}
}

func TestHoldTakesBackWhatIsUnderWay(t *testing.T) {
	e, _ := newEngine(nil)
	delivered := time.Duration(-1)
	e.Feed("c", "Pod", &source{initial: []engine.Event{pod("d/a", 1)}}, func(engine.Event) { delivered = e.Elapsed() })
	e.Advance(ms)
	rule := e.Hold("c", "Pod", "")
	e.Advance(time.Second)
	if delivered >= 0 {
		t.Fatalf("delivered at %v although held", delivered)
	}
	e.Release(rule)
	e.Advance(2 * time.Second)
	if delivered != time.Second {
		t.Errorf("delivered at %v, want 1s: at once after the release", delivered)
	}
}

// Whatever is delayed, held and released: each watch delivers every event, once,
// in the order in which the server committed them; and the run repeats exactly.
func TestWatchNeverReorders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type push struct {
			at   int
			name string
		}
		pushes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) push {
			return push{rapid.IntRange(0, 50).Draw(t, "at"), rapid.SampledFrom([]string{"d/a", "d/b", "d/c"}).Draw(t, "pod")}
		}), 1, 20).Draw(t, "pushes")
		lags := rapid.MapOf(rapid.SampledFrom([]string{"d/a", "d/b"}), rapid.IntRange(0, 100)).Draw(t, "lags")
		holdAt := rapid.IntRange(0, 60).Draw(t, "hold from")
		holdFor := rapid.IntRange(0, 60).Draw(t, "hold for")
		held := rapid.SampledFrom([]string{"", "d/a", "d/c"}).Draw(t, "held object")

		play := func() (order []uint64, hash uint64) {
			e, _ := newEngine(nil)
			for _, object := range slices.Sorted(maps.Keys(lags)) {
				e.Lag("c", "Pod", object, time.Duration(lags[object])*ms)
			}
			do := engine.Point{Process: "user", Verb: engine.VerbDo}
			e.After(do, time.Duration(holdAt)*ms, func() engine.Outcome {
				r := e.Hold("c", "Pod", held)
				e.After(do, time.Duration(holdFor)*ms, func() engine.Outcome { e.Release(r); return engine.Outcome{} })
				return engine.Outcome{}
			})
			w := &source{}
			e.Feed("c", "Pod", w, func(ev engine.Event) { order = append(order, ev.Revision.Version()) })
			version := uint64(0)
			for _, p := range pushes {
				e.After(do, time.Duration(p.at)*ms, func() engine.Outcome {
					version++
					w.sink(pod(p.name, version))
					return engine.Outcome{Version: version}
				})
			}
			e.Advance(time.Minute)
			return order, e.Trace().Hash
		}
		order, hash := play()
		if len(order) != len(pushes) || !slices.IsSorted(order) {
			t.Fatalf("delivered %v, want 1 to %d in order", order, len(pushes))
		}
		again, hash2 := play()
		if !slices.Equal(order, again) || hash != hash2 {
			t.Fatalf("a second run differs: %v and %v", order, again)
		}
	})
}
