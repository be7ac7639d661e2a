package sim_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	stdruntime "runtime"
	"runtime/debug"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/ovn"
	"github.com/vmreplay/vmreplay/sim/controllers/vmim"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A command that plays a pack collects its garbage as rarely, and has one thread
// for one run at a time, too; GOGC and GOMAXPROCS in the environment count. The
// tests look the other way: with the threads that Go gives them, races show.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
	if os.Getenv("GOMAXPROCS") == "" && flag.Lookup("test.bench").Value.String() != "" {
		stdruntime.GOMAXPROCS(1)
	}
	m.Run()
}

// story loads one scenario of the pack that comes with the module.
func story(tb testing.TB, name string) *sim.Story {
	tb.Helper()
	return stories(tb, name)[0]
}

// stories loads a file of the pack, or a folder of them.
func stories(tb testing.TB, path string) []*sim.Story {
	tb.Helper()
	sources, err := scenario.OpenPaths([]string{"../scenarios/" + path})
	if err != nil {
		tb.Fatal(err)
	}
	loaded, err := scenario.LoadAll(sources, sim.Catalog(), sim.Conditions())
	if err != nil {
		tb.Fatal(err)
	}
	var out []*sim.Story
	for _, l := range loaded {
		s, err := sim.Compile(l)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// run plays a story in the benchmark's loop and reports the cost of a step.
func run(b *testing.B, s *sim.Story, variant string) {
	b.Helper()
	b.ReportAllocs()
	steps := 0
	inTest(b, func(t *testing.T) {
		for b.Loop() {
			steps += len(sim.Run(t, s, variant, sim.Options{Seed: 1}).Trace.Steps)
		}
	})
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(steps), "µs/step")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}

// inTest gives a benchmark the *testing.T that a bubble needs.
func inTest(b *testing.B, f func(*testing.T)) {
	b.Helper()
	if !testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "bubble", F: f}}) {
		b.Fatal("the runs failed")
	}
}

// One minute of virtual time. In "one attempt" everything is known at once; in
// "retries" the target pod comes late and the key is retried until it is there,
// some thirty requests of the controller. Gate and floor make the same requests
// of the same controller; floor has no gate, no trace and no checks.
func BenchmarkOneMinute(b *testing.B) {
	for _, bench := range []struct{ name, story string }{
		{"one attempt", "vmim/already-scheduled.yaml"},
		{"retries", "vmim/target-pod-not-created.yaml"},
	} {
		s := story(b, bench.story)
		b.Run(bench.name+"/gate", func(b *testing.B) { run(b, s, "both") })
		b.Run(bench.name+"/floor", func(b *testing.B) {
			b.ReportAllocs()
			inTest(b, func(t *testing.T) {
				for b.Loop() {
					synctest.Test(t, func(t *testing.T) { floor(t, s) })
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

// A migration that dead-locks until KubeVirt's time-out: 900 virtual seconds of
// the whole stack of stand-ins.
func BenchmarkDeadLock(b *testing.B) {
	run(b, story(b, "vmim/dead-lock-until-the-time-out.yaml"), "none")
}

// A whole live migration with all stand-ins.
func BenchmarkLiveMigration(b *testing.B) { run(b, story(b, "vmim/live-migration.yaml"), "none") }

// A VM from its creation to its correction, with controller-runtime's cache and
// queue and every stand-in; one that starts at once, and a minute of it; and a day
// of one that has long settled.
func BenchmarkVM(b *testing.B) {
	corrected := story(b, "kvvm/node-selector-edited-after.yaml")
	b.Run("corrected", func(b *testing.B) { run(b, corrected, "level") })
	normal := story(b, "kvvm/scheduled-normally.yaml")
	b.Run("normal", func(b *testing.B) { run(b, normal, "level") })
	minute := *normal
	minute.Until = time.Minute
	b.Run("normal for a minute", func(b *testing.B) { run(b, &minute, "level") })
	day := *normal
	day.Until = 24 * time.Hour
	b.Run("settled for a day", func(b *testing.B) { run(b, &day, "level") })
}

// Every story of a pack under every variant of its controller.
func BenchmarkPack(b *testing.B) {
	for _, pack := range []string{"vmim", "kvvm"} {
		b.Run(pack, func(b *testing.B) {
			stories, runs := stories(b, pack), 0
			inTest(b, func(t *testing.T) {
				for b.Loop() {
					for _, s := range stories {
						for _, variant := range s.Variants() {
							sim.Run(t, s, variant, sim.Options{Seed: 1})
							runs++
						}
					}
				}
			})
			b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

// A controller that never stops asking, for ever another object: the run ends by
// its budget of steps.
func BenchmarkHotLoop(b *testing.B) {
	s := story(b, "vmim/already-scheduled.yaml")
	spinning := sim.Subject{Type: "vmim", Run: func(ctx context.Context, env *lockstep.Env, _ string) error {
		for i := 0; ctx.Err() == nil; i++ {
			ask(ctx, env, fmt.Sprintf("/api/v1/namespaces/default/pods/p%d", i%1000))
		}
		return nil
	}}
	b.ReportAllocs()
	inTest(b, func(t *testing.T) {
		for b.Loop() {
			r := sim.Run(t, s, "none", sim.Options{Subjects: []sim.Subject{spinning}})
			if stopped := r.Failed(); !slices.Contains(stopped, sim.CheckHotLoop) {
				b.Fatalf("failed checks are %v, want %s among them", stopped, sim.CheckHotLoop)
			}
		}
	})
}

// floor is the story on a bare in-memory transport.
func floor(t *testing.T, s *sim.Story) {
	api := apiserver.New(apiserver.Options{Resources: append(append(apiserver.Builtin(), apiserver.KubeVirt()...), ovn.Resource())})
	for _, o := range s.Given.Objects {
		if _, err := api.Load(runtime.DeepCopyJSON(o.Content)); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	c, err := vmim.New(&rest.Config{Host: "http://floor.invalid", Transport: api.Transport(), QPS: -1}, bareOVN{}, vmim.Options{Variant: vmim.Both})
	if err != nil {
		t.Error(err)
	}
	go func() {
		if err := c.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	start := time.Now()
	for i := range s.Timeline {
		ev := &s.Timeline[i]
		if ev.At != nil {
			time.Sleep(*ev.At - time.Since(start))
		} else {
			time.Sleep(ev.After) // once the one before has happened
		}
		api.Locked(func() { act(t, api, ev) })
	}
	time.Sleep(s.Until - time.Since(start))
	cancel()
	time.Sleep(11 * time.Second)
}

// act does what an event of the two stories says.
func act(t *testing.T, api *apiserver.Server, ev *scenario.Event) {
	var err error
	if ev.Apply != nil {
		_, err = api.Load(runtime.DeepCopyJSON(ev.Apply.Content))
	} else {
		var data []byte
		if data, err = json.Marshal(ev.Patch.Merge); err == nil {
			_, err = api.Patch(engine.ParseKey(ev.Patch.Kind, ev.Patch.Name), types.MergePatchType, data, ev.Patch.Subresource)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// bareOVN is a database with the one port that the story has.
type bareOVN struct{}

func (bareOVN) ListLogicalSwitchPorts(context.Context, map[string]string) ([]vmim.LogicalSwitchPort, error) {
	return []vmim.LogicalSwitchPort{{Name: "vm.default", ExternalIDs: map[string]string{"pod": "default/vm"}}}, nil
}

func (bareOVN) SetMigrateOptions(context.Context, string, string, string) error { return nil }
func (bareOVN) ResetMigrateOptions(context.Context, string, string) error       { return nil }
func (bareOVN) CleanMigrateOptions(context.Context, string) error               { return nil }
