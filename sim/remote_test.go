package sim_test

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// envVariant tells the child which variant it runs, as a patched tree would.
const envVariant = "TEST_VARIANT"

// TestServeVMIM is the child of the tests below: this test binary, started again.
// By itself it is no test.
func TestServeVMIM(t *testing.T) {
	if os.Getenv(envVariant) == "" {
		return
	}
	subjects := sim.Subjects()
	i := slices.IndexFunc(subjects, func(s sim.Subject) bool { return s.Type == "vmim" })
	lockstep.Serve(t, map[string]lockstep.Program{
		"kube-ovn-controller": func(ctx context.Context, env *lockstep.Env) error {
			return subjects[i].Run(ctx, env, os.Getenv(envVariant))
		},
	})
}

// remote is a Remote whose children are this test binary.
func remote(tb testing.TB, variant string) *lockstep.Remote {
	r := &lockstep.Remote{Command: func() *exec.Cmd {
		c := exec.Command(os.Args[0], "-test.run=^TestServeVMIM$")
		c.Env = append(os.Environ(), envVariant+"="+variant)
		return c
	}}
	tb.Cleanup(r.Close)
	return r
}

// The same controller code, scenario and seed give the same run in this process
// and in a child: hash, notes and verdicts.
func TestChildRunsTheSame(t *testing.T) {
	for _, name := range []string{"vmim/target-pod-not-created.yaml", "vmim/target-node-unknown.yaml", "vmim/live-migration.yaml", "vmim/restart-in-scheduling.yaml"} {
		s := story(t, name)
		for _, variant := range []string{"none", "both", "wake"} {
			t.Run(name+" "+variant, func(t *testing.T) {
				in := sim.Run(t, s, variant, sim.Options{Seed: 7})
				r := remote(t, variant)
				for range 3 {
					out := sim.Run(t, s, variant, sim.Options{Seed: 7, Runner: r.Run})
					if out.Status != sim.Judged {
						t.Fatalf("status is %q: %s", out.Status, out.Detail)
					}
					if in.Trace.Hash != out.Trace.Hash {
						t.Fatal(sim.Difference(in.Trace, out.Trace))
					}
					if diff := gocmp.Diff(text(t, in), text(t, out)); diff != "" {
						t.Fatalf("the timelines differ (-in process +child):\n%s", diff)
					}
					if diff := gocmp.Diff(in.Checks, out.Checks); diff != "" {
						t.Fatalf("the verdicts differ (-in process +child):\n%s", diff)
					}
				}
			})
		}
	}
}

// One minute of virtual time in this process and in a child, by turns, so that what
// else the machine does slows both down. A run in a child takes one core in all: one
// side of the pipe waits while the other works. times/in-process is what the pipe
// costs. child-runs/s is by the clock, and right where nothing else runs;
// child-runs/s/core is by the processor time of both sides, the start of the child
// included. The aim is 300.
func BenchmarkOneMinuteSideBySide(b *testing.B) {
	for _, bench := range []struct{ name, story string }{
		{"one attempt", "vmim/already-scheduled.yaml"},
		{"retries", "vmim/target-pod-not-created.yaml"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s, r := story(b, bench.story), remote(b, "both")
			before := processorTime(b, syscall.RUSAGE_CHILDREN)
			if _, err := r.Programs(); err != nil { // the child is up before the clock runs
				b.Fatal(err)
			}
			var in, out, parent time.Duration
			steps := 0
			inTest(b, func(t *testing.T) {
				for b.Loop() {
					begin := time.Now()
					here := sim.Run(t, s, "both", sim.Options{Seed: 1})
					middle, used := time.Now(), processorTime(b, syscall.RUSAGE_SELF)
					there := sim.Run(t, s, "both", sim.Options{Seed: 1, Runner: r.Run})
					in, out = in+middle.Sub(begin), out+time.Since(middle)
					parent += processorTime(b, syscall.RUSAGE_SELF) - used
					if there.Status != sim.Judged || here.Trace.Hash != there.Trace.Hash {
						b.Fatalf("status %q: %s, hashes %x and %x", there.Status, there.Detail, here.Trace.Hash, there.Trace.Hash)
					}
					steps += len(there.Trace.Steps)
				}
			})
			r.Close() // the system counts the time of processes that have ended
			cpu := processorTime(b, syscall.RUSAGE_CHILDREN) - before
			b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "child-cpu-µs/run")
			b.ReportMetric(float64(parent.Microseconds())/float64(b.N), "parent-cpu-µs/run")
			b.ReportMetric(float64(b.N)/(cpu+parent).Seconds(), "child-runs/s/core")
			b.ReportMetric(float64(b.N)/in.Seconds(), "in-process-runs/s")
			b.ReportMetric(float64(b.N)/out.Seconds(), "child-runs/s")
			b.ReportMetric(float64(out)/float64(in), "times/in-process")
			b.ReportMetric(float64((out-in).Microseconds())/float64(steps), "pipe-µs/step")
		})
	}
}

// processorTime is what a process, or all its children that have ended, used.
func processorTime(b *testing.B, who int) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
