package explore

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A failure that needs some perturbations, each of them at least as late or as
// grave as the failure wants it: shrinking finds a schedule that fails, of which
// nothing can be left out, that is no larger than the one it was given.
func TestShrinkProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := schedules.Draw(t, "schedule")
		needed := map[string]time.Duration{}
		for _, p := range s {
			if rapid.Bool().Draw(t, "needed") {
				needed[p.Point] = p.Delay
				if p.Delay > 0 {
					needed[p.Point] = time.Duration(rapid.Int64Range(0, int64(p.Delay)).Draw(t, "least"))
				}
			}
		}
		asked := map[string]int{}
		fails := func(s Schedule) bool {
			asked[identify(s)]++
			met := 0
			for _, p := range s {
				if least, ok := needed[p.Point]; ok && (p.Delay >= least) {
					met++
				}
			}
			return met == len(needed)
		}
		small := Shrink(s, fails)
		if !fails(small) {
			t.Fatalf("%v does not fail", small)
		}
		if len(small) != len(needed) {
			t.Fatalf("%d perturbations are left, %d are needed", len(small), len(needed))
		}
		for i := range small {
			before := s[slices.IndexFunc(s, func(p engine.Perturbation) bool { return p.Point == small[i].Point })]
			if lighter(before, small[i]) {
				t.Fatalf("%v became %v", before, small[i])
			}
		}
		for id, n := range asked {
			if n > 2 { // once by Shrink, and once above
				t.Fatalf("asked %d times for %q", n, id)
			}
		}
		if diff := cmp.Diff(small, Shrink(s, fails)); diff != "" {
			t.Fatalf("a second time it is another (-first +second):\n%s", diff)
		}
	})
}

var schedules = rapid.Custom(func(t *rapid.T) Schedule {
	var s Schedule
	for i := range rapid.IntRange(0, 12).Draw(t, "n") {
		p := engine.Perturbation{Point: fmt.Sprintf("c: deliver Pod d/p MODIFIED #%d", i+1)}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			p.Status = rapid.SampledFrom(writeFailures).Draw(t, "status")
		case 1:
			p.Crash, p.Restart = engine.CrashAfter, restart
		default:
			p.Delay = rapid.SampledFrom(ladder).Draw(t, "delay")
		}
		s = append(s, p)
	}
	return s
})

func TestShrink(t *testing.T) {
	late := func(n int, d time.Duration) engine.Perturbation {
		return engine.Perturbation{Point: fmt.Sprintf("c: get Pod d/p #%d", n), Delay: d}
	}
	tests := []struct {
		name  string
		fails func(Schedule) bool
		want  Schedule
	}{
		{"whatever happens", func(Schedule) bool { return true }, nil},
		{"one of them, late enough", func(s Schedule) bool {
			return slices.ContainsFunc(s, func(p engine.Perturbation) bool {
				return p.Delay >= 300*time.Millisecond && p.Point[len(p.Point)-1] == '2'
			})
		}, Schedule{late(2, 500*time.Millisecond)}},
		{"two of them", func(s Schedule) bool { return len(s) >= 2 }, Schedule{late(4, 5*time.Millisecond), {Point: late(5, 0).Point, Delay: 5 * time.Millisecond}}},
		{"only as it is", func(s Schedule) bool {
			return slices.ContainsFunc(s, func(p engine.Perturbation) bool { return p.Crash != "" })
		}, Schedule{{Point: late(5, 0).Point, Crash: engine.CrashBefore, Restart: restart}}},
	}
	all := Schedule{late(1, time.Second), late(2, time.Minute), late(3, time.Second), late(4, time.Second), {Point: late(5, 0).Point, Crash: engine.CrashBefore, Restart: restart}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Shrink(all, test.fails)
			if len(got) == 0 && len(test.want) == 0 {
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
