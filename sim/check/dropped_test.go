package check

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

var updateGolden = flag.Bool("update", false, "rewrite the golden files")

func wantGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *updateGolden {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", path, diff)
	}
}

const process = "kube-ovn-controller"

// A story writes the trace of one process.
type story struct{ engine.Trace }

func (y *story) deliver(at time.Duration, kind, object, event string) {
	y.Steps = append(y.Steps, engine.Step{
		Point: engine.Point{Process: process, Verb: engine.VerbDeliver, Kind: kind, Object: object, Detail: event, N: 1}, At: at, Outcome: "delivered"})
}

func (y *story) request(at time.Duration, verb, kind, object, outcome string) {
	y.Steps = append(y.Steps, engine.Step{Point: engine.Point{Process: process, Verb: verb, Kind: kind, Object: object, N: 1}, At: at, Outcome: outcome})
}

func (y *story) queue(at time.Duration, key string, ops ...string) {
	for _, op := range ops {
		y.Notes = append(y.Notes, engine.Note{At: at, Process: process, Source: "vmim", Op: op, Key: key, After: len(y.Steps)})
	}
}

func (y *story) log(at time.Duration, level, text string) {
	y.Notes = append(y.Notes, engine.Note{At: at, Process: process, Source: engine.SourceLog, Op: level, Text: text, After: len(y.Steps)})
}

// droppedStory is the race of the project's first seed: the handler sees the
// migration before the target pod, gives up, and nothing enqueues the key again.
func droppedStory() *engine.Trace {
	var y story
	y.deliver(3*ms, "VirtualMachineInstanceMigration", "default/migration", engine.Added)
	y.queue(3*ms, "default/migration", engine.QueueAdd, engine.QueueGet)
	y.request(4*ms, "get", "VirtualMachineInstanceMigration", "default/migration", "200")
	y.queue(4*ms, "default/migration", engine.QueueForget, engine.QueueDone)
	y.deliver(61*s, "VirtualMachineInstanceMigration", "default/migration", engine.Modified)
	y.queue(61*s, "default/migration", engine.QueueAdd, engine.QueueGet)
	y.request(61*s+ms, "get", "VirtualMachineInstanceMigration", "default/migration", "200")
	y.log(61*s+ms, "info", "migration is scheduling")
	y.request(61*s+2*ms, "get", "VirtualMachineInstance", "default/vm", "200")
	y.log(61*s+2*ms, "warning", "no pod with label kubevirt.io/migrationJobUID=u-1 in the cache\n"+strings.Repeat("more ", 40))
	y.queue(61*s+2*ms, "default/migration", engine.QueueForget, engine.QueueDone)
	y.deliver(61*s+4*ms, "Pod", "default/target", engine.Added)
	y.deliver(61*s+5*ms, "Pod", "default/target", engine.Modified)
	y.deliver(61*s+6*ms, "Pod", "default/target", engine.Modified)
	y.deliver(61*s+6*ms, "Pod", "default/target", engine.Bookmark)
	y.deliver(62*s, "Node", "node-b", engine.Modified)
	y.deliver(63*s, "VirtualMachineInstanceMigration", "default/other", engine.Added)
	y.queue(63*s, "default/other", engine.QueueAdd, engine.QueueGet)
	y.log(63*s, "error", "source node is not known")
	y.queue(63*s, "default/other", engine.QueueRateLimited, engine.QueueDone)
	y.queue(63*s+5*ms, "default/other", engine.QueueGet)
	y.log(63*s+5*ms, "error", "source node is still not known")
	y.queue(63*s+5*ms, "default/other", engine.QueueRateLimited, engine.QueueDone)
	y.End = 63*s + 6*ms
	return &y.Trace
}

func TestDroppedKeyIsExplained(t *testing.T) {
	lines := Dropped(droppedStory())
	for _, line := range lines {
		if n := len([]rune(line)); n > 160 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
	wantGolden(t, "dropped.golden", strings.Join(lines, "\n")+"\n")
}

func TestEventuallyAppendsTheExplanationUntilItsDeadline(t *testing.T) {
	r := newRun(t, scenario.Check{Name: "set-up", Eventually: &scenario.Eventually{
		Expr: expression(running), Within: 500 * ms, Of: &scenario.Instant{Offset: 61 * s}}})
	r.start().pod(ms, "Pending")
	results := r.monitor.Finish(droppedStory())
	wantGolden(t, "eventually.golden", results[0].Message+"\n")
}

func TestDroppedFates(t *testing.T) {
	const key = "d/m"
	tests := []struct {
		name     string
		limiters []Limiter
		play     func(y *story)
		want     []string
	}{
		{"nothing noted", nil, func(y *story) {}, nil},
		{"a stand-in that notes failures only", nil, func(y *story) { y.queue(ms, key, engine.QueueRateLimited) }, nil},
		{"done, neither forgotten nor put back", nil, func(y *story) { y.queue(ms, key, engine.QueueAdd, engine.QueueGet, engine.QueueDone) },
			[]string{"d/m was dropped: attempt 1, from 1ms to 1ms, did not put it back (kube-ovn-controller, queue vmim)"}},
		{"what an attempt without a step logged", nil, func(y *story) {
			y.Notes = append(y.Notes, engine.Note{At: ms, Process: process, Source: engine.SourceLog, Op: "info", Text: "not ready"})
			y.queue(ms, key, engine.QueueAdd, engine.QueueGet, engine.QueueForget, engine.QueueDone)
		}, []string{
			"d/m was dropped: attempt 1, from 1ms to 1ms, did not put it back (kube-ovn-controller, queue vmim)",
			"  info: not ready",
		}},
		{"what wrote something may be done", nil, func(y *story) {
			y.queue(ms, key, engine.QueueAdd, engine.QueueGet)
			y.Steps = append(y.Steps, engine.Step{Point: engine.Point{Process: process, Verb: "update", Kind: "Pod", Object: "d/p", N: 1}, At: 2 * ms, Outcome: "200", Changes: []engine.Change{{}}})
			y.queue(2*ms, key, engine.QueueForget, engine.QueueDone)
		}, []string{
			"d/m is done, or was dropped: attempt 1, from 1ms to 2ms, wrote something and did not put it back (kube-ovn-controller, queue vmim)",
			"  asked update Pod d/p at 2ms: 200",
		}},
		{"queued", nil, func(y *story) { y.queue(ms, key, engine.QueueAdd); y.queue(2*ms, key, engine.QueueAdd) },
			[]string{"d/m is queued since 1ms (kube-ovn-controller, queue vmim)"}},
		{"in work", nil, func(y *story) { y.queue(ms, key, engine.QueueAdd, engine.QueueGet) },
			[]string{"d/m is in work since 1ms (attempt 1) (kube-ovn-controller, queue vmim)"}},
		{"added while in work", nil, func(y *story) {
			y.queue(ms, key, engine.QueueAdd, engine.QueueGet, engine.QueueAdd, engine.QueueForget, engine.QueueDone)
		}, []string{"d/m is queued since 1ms (kube-ovn-controller, queue vmim)"}},
		{"the first retry", nil, func(y *story) {
			y.queue(ms, key, engine.QueueAdd, engine.QueueGet, engine.QueueRateLimited, engine.QueueDone)
		},
			[]string{"d/m waits for its retry at 6ms: attempt 1 failed at 1ms (kube-ovn-controller, queue vmim)"}},
		{"a retry after a success", nil, func(y *story) {
			y.queue(ms, key, engine.QueueAdd, engine.QueueGet, engine.QueueRateLimited, engine.QueueDone)
			y.queue(6*ms, key, engine.QueueGet, engine.QueueForget, engine.QueueDone)
			y.queue(s, key, engine.QueueAdd, engine.QueueGet, engine.QueueRateLimited, engine.QueueDone)
		}, []string{"d/m waits for its retry at 1.005s: attempt 3 failed at 1s (kube-ovn-controller, queue vmim)"}},
		{"a retry as the queue's limiter has it", []Limiter{{Process: "x", First: 7 * s}, {Queue: "vmim", First: 2 * s}},
			func(y *story) {
				y.queue(ms, key, engine.QueueAdd, engine.QueueGet, engine.QueueRateLimited, engine.QueueDone)
			},
			[]string{"d/m waits for its retry at 2.001s: attempt 1 failed at 1ms (kube-ovn-controller, queue vmim)"}},
		{"a retry that came earlier than thought", nil, func(y *story) {
			y.queue(ms, key, engine.QueueAdd, engine.QueueGet, engine.QueueRateLimited, engine.QueueDone)
			y.queue(2*ms, key, engine.QueueGet, engine.QueueForget, engine.QueueDone)
		}, []string{"d/m was dropped: attempt 2, from 2ms to 2ms, did not put it back (kube-ovn-controller, queue vmim)"}},
		{"a retry that an event overtook", nil, func(y *story) {
			y.queue(ms, key, engine.QueueAdd, engine.QueueGet, engine.QueueRateLimited, engine.QueueDone)
			y.queue(2*ms, key, engine.QueueAdd, engine.QueueGet, engine.QueueForget, engine.QueueDone)
		}, []string{"d/m waits for its retry at 6ms: attempt 2 failed at 2ms (kube-ovn-controller, queue vmim)"}},
		{"later, by request", nil, func(y *story) {
			y.queue(ms, key, engine.QueueAdd, engine.QueueGet, engine.QueueForget)
			y.Notes = append(y.Notes, engine.Note{At: ms, Process: process, Source: "vmim", Op: engine.QueueAddAfter, Key: key, Text: "1m30s"})
			y.queue(ms, key, engine.QueueDone)
		}, []string{"d/m waits until 90.001s (kube-ovn-controller, queue vmim)"}},
		{"lost in a crash", nil, func(y *story) {
			y.queue(ms, key, engine.QueueAdd, engine.QueueGet, engine.QueueRateLimited, engine.QueueDone)
			y.Steps = append(y.Steps, engine.Step{Point: engine.Point{Process: "user", Verb: "crash", Object: process}, At: 2 * ms})
		}, []string{"d/m was lost with the process at 2ms (kube-ovn-controller, queue vmim)"}},
		{"worked on again after a crash", nil, func(y *story) {
			y.queue(ms, key, engine.QueueAdd, engine.QueueGet)
			y.Steps = append(y.Steps, engine.Step{Point: engine.Point{Process: process, Verb: engine.VerbStop}, At: 2 * ms})
			y.queue(3*ms, key, engine.QueueAdd, engine.QueueGet, engine.QueueForget, engine.QueueDone)
		}, []string{"d/m was dropped: attempt 2, from 3ms to 3ms, did not put it back (kube-ovn-controller, queue vmim)"}},
		{"every process stops at the end", nil, func(y *story) {
			y.queue(ms, key, engine.QueueAdd)
			y.Notes = append(y.Notes, engine.Note{At: 100 * s, Process: process, Source: engine.SourceProcess, Op: engine.OpExit})
		}, []string{"d/m is queued since 1ms (kube-ovn-controller, queue vmim)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var y story
			tt.play(&y)
			y.End = 100 * s
			if diff := cmp.Diff(tt.want, Dropped(&y.Trace, tt.limiters...)); diff != "" {
				t.Errorf("explanation (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDroppedNamesOnlyDeliveriesThatEnqueuedNothing(t *testing.T) {
	var y story
	y.queue(0, "d/m", engine.QueueAdd, engine.QueueGet, engine.QueueForget, engine.QueueDone)
	for i, object := range []string{"d/a", "d/b", "d/c", "d/d", "d/e", "d/f", "d/g", "d/h", "d/i", "d/j", "d/k"} {
		y.deliver(time.Duration(i)*ms, "Pod", object, engine.Added)
		if i == 1 {
			y.queue(time.Duration(i)*ms, "d/x", engine.QueueAdd)
		}
	}
	y.End = s
	got := Dropped(&y.Trace)
	want := []string{"d/m was dropped: attempt 1, from 0s to 0s, did not put it back (kube-ovn-controller, queue vmim)"}
	for _, line := range []string{"d/a ADDED at 0s", "d/c ADDED at 2ms", "d/d ADDED at 3ms", "d/e ADDED at 4ms",
		"d/f ADDED at 5ms", "d/g ADDED at 6ms", "d/h ADDED at 7ms", "d/i ADDED at 8ms"} {
		want = append(want, "  later deliver Pod "+line+" enqueued nothing")
	}
	want = append(want, "  and so did deliveries of 2 more objects", "d/x is queued since 1ms (kube-ovn-controller, queue vmim)")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("explanation (-want +got):\n%s", diff)
	}
}
