package sim_test

import (
	"context"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// aged tells how old a node is for a process, and writes down when it looked: once
// as JSON and once as protobuf.
func aged(contentType string) lockstep.Program {
	return func(ctx context.Context, env *lockstep.Env) error {
		config := sim.RESTConfig(env)
		config.ContentType = contentType
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return err
		}
		node, err := client.CoreV1().Nodes().Get(ctx, "node-a", metav1.GetOptions{})
		if err != nil {
			return err
		}
		env.Note("age", "of node-a", "", time.Since(node.CreationTimestamp.Time).Round(time.Second).String())
		_, err = client.CoordinationV1().Leases("default").Create(ctx, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: "seen"},
			Spec:       coordinationv1.LeaseSpec{RenewTime: new(metav1.NowMicro())},
		}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		lease, err := client.CoordinationV1().Leases("default").Get(ctx, "seen", metav1.GetOptions{})
		if err != nil {
			return err
		}
		env.Note("age", "of its own write", "", time.Since(lease.Spec.RenewTime.Time).Round(time.Second).String())
		<-ctx.Done()
		return nil
	}
}

// A clock that is off shows in every comparison with a timestamp of the cluster,
// and in every timestamp that the process writes; not in its own among themselves,
// and not in its timers.
func TestClockOffset(t *testing.T) {
	s := written(t, "given: {fixtures: [vmim/two-nodes]}\nuntil: 60s\nexpect:\n  - {name: time-passes, never: 1 == 2}\n")
	const start = "kube-ovn-controller: start #1"
	for _, contentType := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		for _, test := range []struct {
			clock time.Duration
			age   string
		}{{0, "0s"}, {time.Minute, "1m0s"}, {-time.Minute, "-1m0s"}} {
			t.Run(contentType+" "+test.clock.String(), func(t *testing.T) {
				subject := sim.Subject{Type: "vmim", Variants: []string{"none"}, Run: func(ctx context.Context, env *lockstep.Env, _ string) error {
					return aged(contentType)(ctx, env)
				}}
				o := sim.Options{Subjects: []sim.Subject{subject}}
				if test.clock != 0 {
					o.Schedule = []engine.Perturbation{{Point: start, Clock: test.clock}}
				}
				r := sim.Confirm(sim.Run(t, s, "none", o), sim.Run(t, s, "none", o))
				if r.Status != sim.Judged || len(r.Unapplied) > 0 {
					t.Fatal(summary(r), r.Unapplied)
				}
				ages := map[string]string{}
				for _, n := range r.Trace.Notes {
					if n.Source == "age" {
						ages[n.Op] = n.Text
					}
				}
				if ages["of node-a"] != test.age || ages["of its own write"] != "0s" {
					t.Errorf("ages %v, want %s and 0s", ages, test.age)
				}
				if off := renewTime(t, r).Sub(started(t, r)); off.Round(time.Second) != test.clock {
					t.Errorf("the lease was written %v after the start, want %v", off, test.clock)
				}
			})
		}
	}
}

// change is the only write of a kind.
func change(t *testing.T, r *sim.Result, kind string) map[string]any {
	t.Helper()
	for _, s := range r.Trace.Steps {
		for _, c := range s.Changes {
			if c.Ref.Kind == kind {
				return c.After.Content()
			}
		}
	}
	for _, c := range r.Trace.Given {
		if c.Ref.Kind == kind {
			return c.After.Content()
		}
	}
	t.Fatalf("no %s was written", kind)
	return nil
}

func renewTime(t *testing.T, r *sim.Result) time.Time {
	t.Helper()
	return instantOf(t, change(t, r, "Lease")["spec"].(map[string]any)["renewTime"])
}

// started is the start of a run by the server's clock: when the nodes were created.
func started(t *testing.T, r *sim.Result) time.Time {
	t.Helper()
	return instantOf(t, change(t, r, "Node")["metadata"].(map[string]any)["creationTimestamp"])
}

func instantOf(t *testing.T, text any) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text.(string))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// A clock that no timestamp shows was never off.
func TestClockOffsetOfNobody(t *testing.T) {
	s := written(t, "until: 60s\nexpect:\n  - {name: time-passes, never: 1 == 2}\nschedule:\n  - {point: 'kube-ovn-controller: start #1', clock: 30s}\n")
	r := playing(t, s, func(ctx context.Context, _ *lockstep.Env) error { <-ctx.Done(); return nil })
	wantLines(t, finding(t, r, sim.CheckSchedule).Message, "nothing was perturbed at:", "start #1")
}
