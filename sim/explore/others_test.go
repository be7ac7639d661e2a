package explore

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Where leaders are elected and the API has two front-ends, leases are stolen, and
// processes start again on older states. What that shows is found: two that act at
// once, and a condition that is true in no other order.
func TestChoicesOfReplicas(t *testing.T) {
	p := player(t, "leader-election", "wake")
	var theft, old *Outcome
	for _, c := range p.choices() {
		switch {
		case c.Steal && strings.Contains(c.Point, "set-migrate-options") && theft == nil:
			theft = p.PlayOne(Schedule{c})
		case c.Crash == engine.CrashAfter && c.Stale > 0 && old == nil:
			old = p.PlayOne(Schedule{c})
		}
	}
	if theft == nil || old == nil {
		t.Fatalf("a theft: %v, a start on an older state: %v", theft != nil, old != nil)
	}
	if len(theft.Unapplied)+len(old.Unapplied) > 0 {
		t.Errorf("not applied: %q, %q", theft.Unapplied, old.Unapplied)
	}
	if !theft.Red || theft.Cause.Check != "one-leads" {
		t.Errorf("a theft is no finding: %+v", theft.Cause)
	}
	if !slices.Contains(theft.Reach.Judged, "the-other-takes-over") {
		t.Errorf("the condition was not reached: %q", theft.Reach.Judged)
	}
}

// A condition that should be true sometimes is reported as long as it never was.
func TestNeverReached(t *testing.T) {
	r := searched(t, "leader-election", "wake", Options{Budget: 1, Depth: 1})
	if diff := cmp.Diff([]string{"the-other-takes-over"}, r.Coverage.NeverReached); diff != "" {
		t.Errorf("never reached (-want +got):\n%s", diff)
	}
	var table strings.Builder
	if err := Table(&table, []*Report{r}); err != nil {
		t.Fatal(err)
	}
	if want := "never true, and should be sometimes: the-other-takes-over"; !strings.Contains(table.String(), want) {
		t.Errorf("%q is not in\n%s", want, table.String())
	}
	reached := *r
	reached.Coverage.Judged, reached.Shards, reached.Of = []string{"the-other-takes-over"}, []int{2}, 2
	r.Of = 2
	merged, err := Merge([]*Report{r, &reached})
	if err != nil || len(merged[0].Coverage.NeverReached) > 0 {
		t.Errorf("one shard reached it: %q, error %v", merged[0].Coverage.NeverReached, err)
	}
}

// A user does one thing after the other: the machine is created at 1 s and edited at
// 61 s. Whatever is late, or sent twice, comes before the next, and only the edit may
// be later than that.
func TestUsersKeepTheirTurn(t *testing.T) {
	latest := map[string]time.Duration{}
	repeats := map[string][]time.Duration{}
	for _, c := range player(t, "../kvvm/node-selector-edited-after", "level").choices() {
		if strings.HasPrefix(c.Point, "user: ") {
			latest[c.Point] = max(latest[c.Point], c.Delay)
		}
		if c.Repeat > 0 {
			repeats[c.Point] = append(repeats[c.Point], c.Repeat)
		}
	}
	const created, edited = "user: apply DeckhouseVirtualMachine default/vm #1", "user: patch DeckhouseVirtualMachine default/vm #1"
	if diff := cmp.Diff(map[string][]time.Duration{created: {time.Second}, edited: {time.Second, time.Minute}}, repeats); diff != "" {
		t.Errorf("repeats (-want +got):\n%s", diff)
	}
	if latest[created] < time.Second || latest[created] >= time.Minute || latest[edited] < time.Minute {
		t.Errorf("the creation is late by up to %s, the edit by up to %s", latest[created], latest[edited])
	}
}

// The simplest perturbation that does is found, whatever it was found as.
func TestShrinkOthers(t *testing.T) {
	const minute = 60e9
	tests := []struct {
		name  string
		from  engine.Perturbation
		fails func(engine.Perturbation) bool
		want  engine.Perturbation
	}{
		{"a clock that is off by more than 3 s", engine.Perturbation{Clock: -10 * minute}, func(p engine.Perturbation) bool { return p.Clock < -3e9 }, engine.Perturbation{Clock: -5e9}},
		{"cut off for more than 10 s", engine.Perturbation{Pause: minute}, func(p engine.Perturbation) bool { return p.Pause > 10e9 }, engine.Perturbation{Pause: 20e9}},
		{"late is enough", engine.Perturbation{Pause: minute}, func(p engine.Perturbation) bool { return p.Pause+p.Delay >= 1e9 }, engine.Perturbation{Delay: 1e9}},
		{"again", engine.Perturbation{Repeat: minute}, func(p engine.Perturbation) bool { return p.Repeat > 0 }, engine.Perturbation{Repeat: 5e6}},
		{"the older state does not matter", engine.Perturbation{Crash: engine.CrashAfter, Restart: restart, Stale: minute}, func(p engine.Perturbation) bool { return p.Crash != "" }, engine.Perturbation{Crash: engine.CrashAfter, Restart: restart}},
		{"it matters", engine.Perturbation{Crash: engine.CrashAfter, Restart: restart, Stale: minute}, func(p engine.Perturbation) bool { return p.Stale >= 3e9 }, engine.Perturbation{Crash: engine.CrashAfter, Restart: restart, Stale: 5e9}},
		{"robbed", engine.Perturbation{Steal: true}, func(p engine.Perturbation) bool { return p.Steal }, engine.Perturbation{Steal: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.from.Point, test.want.Point = "c: update Pod d/p #1", "c: update Pod d/p #1"
			got := Shrink(Schedule{test.from}, func(s Schedule) bool { return len(s) == 1 && test.fails(s[0]) })
			if diff := cmp.Diff(Schedule{test.want}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// An entry of a file is the perturbation that it was written for.
func TestEntries(t *testing.T) {
	for _, p := range []engine.Perturbation{
		{Stale: 1e9}, {Clock: -1e9}, {Pause: 1e9}, {Steal: true}, {Repeat: 1e9}, {Crash: engine.CrashAfter, Restart: 1e9, Stale: 1e9},
	} {
		p.Point = "c: update Pod d/p #1"
		e := entryOf(p)
		if diff := cmp.Diff(p, e.Perturbation()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if text := Describe(p); strings.HasSuffix(text, "as it is written") {
			t.Errorf("%+v is not described: %s", p, text)
		}
	}
}

// The searches above give the same however often they are made.
func TestReplicasRepeat(t *testing.T) {
	o := Options{Budget: 12, Depth: 1}
	first := asJSON(t, searched(t, "leader-election", "wake", o))
	p := player(t, "leader-election", "wake")
	pool, err := NewPool(2, Task{Path: "scenarios/vmim/leader-election.yaml", Variant: "wake", Seed: 1}, workerProcess)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	r, err := NewSearch(p, pool, o).Do(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, asJSON(t, r)); diff != "" {
		t.Errorf("two processes report otherwise (-one +two):\n%s", diff)
	}
}
