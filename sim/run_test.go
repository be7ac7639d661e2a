package sim_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
	"github.com/vmreplay/vmreplay/sim/timeline"
)

// A run is a pure function of story, variant and seed: everything that can be
// seen of it is the same, byte for byte, except for the clock's year.
func TestRunRepeats(t *testing.T) {
	for _, name := range []string{"vmim/target-node-unknown.yaml", "vmim/live-migration.yaml"} {
		s := story(t, name)
		for _, variant := range s.Variants() {
			t.Run(name+" "+variant, func(t *testing.T) {
				first := sim.Run(t, s, variant, sim.Options{Seed: 7})
				for range 5 {
					again := sim.Run(t, s, variant, sim.Options{Seed: 7})
					if first.Trace.Hash != again.Trace.Hash {
						t.Fatal(sim.Difference(first.Trace, again.Trace))
					}
					if diff := cmp.Diff(text(t, first), text(t, again)); diff != "" {
						t.Fatalf("the timelines differ (-first +second):\n%s", diff)
					}
					if diff := cmp.Diff(first.Checks, again.Checks); diff != "" {
						t.Fatalf("the verdicts differ (-first +second):\n%s", diff)
					}
				}
			})
		}
	}
}

// text is the timeline without what writes changed: that may hold timestamps.
func text(t *testing.T, r *sim.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := timeline.Print(&b, r.Trace, timeline.Options{Notes: true}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The dropped case says why: the key, the attempt, what the handler saw, and
// that the later pod enqueued nothing.
func TestDroppedKeyIsExplained(t *testing.T) {
	r := sim.Run(t, story(t, "vmim/target-pod-not-created.yaml"), "none", sim.Options{})
	c := finding(t, r, "set-up")
	if c.OK {
		t.Fatal("the check holds, want it to fail")
	}
	wantLines(t, c.Message,
		"default/migration was dropped: attempt 2, from 1.002s to 1.004s",
		"no pod with label kubevirt.io/migrationJobUID=migration-1 in the cache",
		"later deliver Pod default/virt-launcher-vm-target ADDED at 11.002s enqueued nothing",
	)
}

// Back-off is exact (seeds B, upstream-verdicts 1.3): 5, 10, 20 ms ... 40.96 s
// from the end of an attempt to the start of the next; the attempt that sets up
// starts 81.9 s after the first one and 21.9 s after the bind.
func TestBackOffIsExact(t *testing.T) {
	r := sim.Run(t, story(t, "vmim/target-node-unknown.yaml"), "both", sim.Options{})
	var starts, ends []time.Duration
	for _, n := range r.Trace.Notes {
		if n.Source != "AddOrUpdateVMIMigration" || n.At < time.Second {
			continue
		}
		switch n.Op {
		case engine.QueueGet:
			starts = append(starts, n.At)
		case engine.QueueDone:
			ends = append(ends, n.At)
		}
	}
	if len(starts) != 15 || len(ends) != 15 {
		t.Fatalf("found %d attempts and %d ends, want 15 of both", len(starts), len(ends))
	}
	for i, delay := 1, 5*time.Millisecond; i < len(starts); i, delay = i+1, 2*delay {
		if got := starts[i] - ends[i-1]; got != delay {
			t.Errorf("delay before attempt %d is %v, want %v", i+1, got, delay)
		}
	}
	last, bind := starts[14], 61*time.Second
	if got := (last - starts[0]).Truncate(100 * time.Millisecond); got != 81900*time.Millisecond {
		t.Errorf("the attempt that sets up starts %v after the first, want 81.9s", got)
	}
	if got := (last - bind).Truncate(100 * time.Millisecond); got != 21900*time.Millisecond {
		t.Errorf("the attempt that sets up starts %v after the bind, want 21.9s", got)
	}
}

// Runs may go on side by side: each has the hash that it has alone.
func TestRunsSideBySide(t *testing.T) {
	s := story(t, "vmim/target-pod-not-created.yaml")
	want := map[string]uint64{}
	for _, variant := range s.Variants() {
		want[variant] = sim.Run(t, s, variant, sim.Options{}).Trace.Hash
	}
	type outcome struct {
		variant string
		hash    uint64
	}
	done := make(chan outcome)
	for range 8 {
		for _, variant := range s.Variants() {
			go func() { done <- outcome{variant, sim.Run(t, s, variant, sim.Options{}).Trace.Hash} }()
		}
	}
	for range 8 * len(want) {
		if o := <-done; o.hash != want[o.variant] {
			t.Errorf("variant %s: hash %016x beside other runs, %016x alone", o.variant, o.hash, want[o.variant])
		}
	}
}

func TestSurprise(t *testing.T) {
	s := story(t, "vmim/target-pod-not-created.yaml")
	tests := []struct{ name, variant, want string }{
		{"red as written", "none", ""},
		{"green as written", "both", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := sim.Run(t, s, test.variant, sim.Options{}).Surprise(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	t.Run("red by another check than written", func(t *testing.T) {
		r := sim.Run(t, s, "none", sim.Options{})
		for i := range r.Checks {
			if r.Checks[i].Name == "set-up" {
				r.Checks[i].Name = "another"
			}
		}
		if want := "expected red by set-up, found red by another"; r.Surprise() != want {
			t.Errorf("got %q, want %q", r.Surprise(), want)
		}
	})
	t.Run("red, and nothing written", func(t *testing.T) {
		r := sim.Run(t, written(t, "until: 10s\nexpect:\n  - name: impossible\n    always: 1 == 2\n"), "none", sim.Options{})
		if want := "expected green, found red by impossible"; r.Surprise() != want {
			t.Errorf("got %q, want %q", r.Surprise(), want)
		}
	})
}

// A failure that is another one the second time is no verdict.
func TestJudgeFindsNondeterminism(t *testing.T) {
	story := written(t, "until: 10s\nexpect:\n  - name: impossible\n    always: 1 == 2\n")
	runs := 0
	r := playing(t, story, func(ctx context.Context, env *lockstep.Env) error {
		runs++
		ask(ctx, env, fmt.Sprintf("/api/v1/namespaces/default/pods/p%d", runs))
		<-ctx.Done()
		return nil
	})
	if runs != 2 || r.Status != sim.Nondeterministic {
		t.Fatalf("status is %q after %d runs, want %q after two", r.Status, runs, sim.Nondeterministic)
	}
	wantLines(t, r.Detail, "two runs part at step 2:", "get Pod default/p1 #1", "get Pod default/p2 #1")
}

// What libraries draw from math/rand repeats with the seed, and only with it.
func TestJitterIsSeeded(t *testing.T) {
	story := written(t, "until: 10s\nexpect:\n  - name: holds\n    never: 1 == 2\n")
	hash := func(seed uint64) uint64 {
		subject := sim.Subject{Type: "vmim", Run: func(ctx context.Context, env *lockstep.Env, _ string) error {
			time.Sleep(wait.Jitter(time.Second, 1))
			ask(ctx, env, "/api/v1/namespaces/default/pods/x")
			<-ctx.Done()
			return nil
		}}
		return sim.Run(t, story, "none", sim.Options{Seed: seed, Subjects: []sim.Subject{subject}}).Trace.Hash
	}
	if a, b := hash(1), hash(1); a != b {
		t.Errorf("the same seed gives the hashes %016x and %016x", a, b)
	}
	if a, b := hash(1), hash(2); a == b {
		t.Errorf("two seeds give the same hash %016x", a)
	}
}

// Objects that the API server would refuse are mistakes of the file.
func TestCompileRefusesObjects(t *testing.T) {
	tests := []struct{ name, body, says string }{
		{"given", "given: {objects: [{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: default}, spec: {nodeName: [1]}}]}\n", "test.yaml:8:19: the API server refuses this object:"},
		{"applied", "timeline: [{at: 1s, apply: {apiVersion: v1, kind: Pod, metadata: {name: x, namespace: default, labels: {a: 1}}}}]\n", "test.yaml:8:28: the API server refuses this object:"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := sim.Compile(loaded(t, test.body+"until: 10s\n"))
			if err == nil || !strings.HasPrefix(err.Error(), test.says) {
				t.Errorf("got %v, want %q", err, test.says)
			}
		})
	}
}

// A month of a cluster in which nothing happens is a matter of seconds.
func TestLongRunIsNotHung(t *testing.T) {
	r := playing(t, written(t, "until: 720h\n"), func(ctx context.Context, _ *lockstep.Env) error { <-ctx.Done(); return nil })
	if r.Status != sim.Judged || r.Red() {
		t.Error(summary(r))
	}
}
