package explore

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What may be perturbed and how: a stand-in is only ever late, objects that exist
// are never denied, only writes conflict.
func TestChoices(t *testing.T) {
	p := player(t, "two-migrations", "none")
	all := p.choices()
	seen := map[string]bool{}
	count := map[string]int{}
	for _, c := range all {
		id := identify(Schedule{c})
		if seen[id] {
			t.Errorf("twice: %s", id)
		}
		seen[id] = true
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		process, what, _ := strings.Cut(c.Point, ": ")
		verb, _, _ := strings.Cut(what, " ")
		if c.Delay > time.Minute && !slices.Contains([]string{"deliver", "work", "timer", "start"}, verb) && process != "user" {
			t.Errorf("no request is in flight for %s: %s", c.Delay, c.Point)
		}
		if c.Delay > 0 {
			count["delay of "+process]++
			continue
		}
		if process == "user" && c.Repeat > 0 {
			count["repeat"]++
			continue
		}
		if process != "kube-ovn-controller" {
			t.Errorf("more than a delay at %s: %s", c.Point, Describe(c))
		}
		switch {
		case c.Status == 404 && !strings.Contains(what, "get /apis/"), c.Status == 409 || c.Status == 422:
			t.Errorf("no server would answer like that: %s", Describe(c))
		case c.Status != 0:
			count["status"]++
		case c.Break != "" && verb != "deliver":
			t.Errorf("no watch to break at %s", c.Point)
		case c.Break != "":
			count["break"]++
		case c.Crash != "" && verb != "call":
			t.Errorf("a crash where nothing is written: %s", c.Point)
		case c.Crash != "":
			count["crash"]++
		case c.Clock != 0:
			count["clock"]++
		case c.Pause != 0:
			count["pause"]++
		case c.Stale != 0, c.Steal:
			t.Errorf("neither a second front-end nor a lease is declared: %s", Describe(c))
		}
	}
	for _, kind := range []string{"delay of kube-ovn-controller", "delay of user", "delay of virt-controller", "delay of kubelet", "status", "break", "crash", "repeat", "clock", "pause"} {
		if count[kind] == 0 {
			t.Errorf("no %s among %d choices", kind, len(all))
		}
	}
	if diff := cmp.Diff(all, p.choices()); diff != "" {
		t.Errorf("the choices differ from call to call:\n%s", diff)
	}
}

func TestPCT(t *testing.T) {
	p := player(t, "live-migration", "none")
	c := p.pct(3)
	if c.Threads < 5 || c.Decisions < 100 {
		t.Fatalf("%d threads and %d decisions", c.Threads, c.Decisions)
	}
	k := float64(c.Decisions)
	if want := 1 / (float64(c.Threads) * k * k); c.Probability < want*0.999 || c.Probability > want*1.001 {
		t.Errorf("probability %g, want %g", c.Probability, want)
	}
	if diff := cmp.Diff(c.schedule(1, 5), c.schedule(1, 5)); diff != "" {
		t.Errorf("one number, two schedules:\n%s", diff)
	}
	if cmp.Equal(c.schedule(1, 5), c.schedule(1, 6)) || cmp.Equal(c.schedule(1, 5), c.schedule(2, 5)) {
		t.Error("another number or seed gives the same schedule")
	}
	if o := p.PlayOne(c.schedule(1, 5)); o.Status != "" {
		t.Errorf("status %q: %s", o.Status, o.Detail)
	}
}

// At any depth the schedules that are played are some of the budget, and no more
// than it may take to meet an order of that depth.
func TestPCTStaysWithinTheBudget(t *testing.T) {
	tests := []struct {
		name  string
		depth int
		want  int
	}{
		{"one thread goes first", 1, 19},
		{"two decisions", 2, 500},
		{"more than an int holds", 10, 500},
		{"more than a float holds", 200, 500},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := PCT{Threads: 19, Decisions: 208, Depth: test.depth, Probability: 1 / (19 * math.Pow(208, float64(test.depth-1)))}
			if got := c.within(500); got != test.want {
				t.Errorf("%d schedules, want %d", got, test.want)
			}
		})
	}
}
