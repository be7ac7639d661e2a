package sim_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	corev1 "k8s.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// electing are two replicas that write an object of their own every second while
// they lead.
func electing(t *testing.T, schedule ...engine.Perturbation) *sim.Result {
	t.Helper()
	story := replicated(t, "default/ctl")
	work := func(ctx context.Context, env *lockstep.Env, _ string) error {
		client, err := kubernetes.NewForConfig(sim.RESTConfig(env))
		if err != nil {
			return err
		}
		for i := 0; ctx.Err() == nil; i++ {
			o := metav1.ObjectMeta{GenerateName: "beat-"}
			// Neither the context nor an error stops it: only its end does.
			_, _ = client.CoreV1().ConfigMaps("default").Create(context.Background(), &corev1.ConfigMap{ObjectMeta: o}, metav1.CreateOptions{})
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
		return nil
	}
	o := sim.Options{Seed: 1, Schedule: schedule, Subjects: []sim.Subject{{Type: "vmim", Variants: []string{"none"}, Run: work}}}
	r := sim.Confirm(sim.Run(t, story, "none", o), sim.Run(t, story, "none", o))
	if r.Status != sim.Judged {
		t.Fatal(summary(r))
	}
	return r
}

// replicated is a story of two replicas that elect a leader.
func replicated(t *testing.T, lease string) *sim.Story {
	t.Helper()
	sc := loaded(t, "until: 120s\n")
	sc.Expect = []scenario.Check{{Name: "one-leads", LeaderOnly: lease}}
	sc.Controllers = []scenario.Controller{
		{Name: "ctl", Type: "vmim", Lease: lease}, {Name: "ctl-2", Type: "vmim", Lease: lease},
	}
	story, err := sim.Compile(sc)
	if err != nil {
		t.Fatal(err)
	}
	return story
}

// beats are who wrote, in runs: "ctl 60".
func beats(r *sim.Result) []string {
	var out []string
	n, last := 0, ""
	flush := func() {
		if n > 0 {
			out = append(out, fmt.Sprintf("%s %d", last, n))
		}
	}
	for _, s := range r.Trace.Steps {
		if s.Point.Kind != "ConfigMap" || len(s.Changes) == 0 {
			continue
		}
		if s.Point.Process != last {
			flush()
			n, last = 0, s.Point.Process
		}
		n++
	}
	flush()
	return out
}

func TestOneLeads(t *testing.T) {
	r := electing(t)
	if b := beats(r); len(b) != 1 || !strings.HasPrefix(b[0], "ctl ") || r.Red() {
		t.Errorf("wrote: %q; %s", b, summary(r))
	}
}

// The lease goes to the other one. Both write until the old leader's deadline for
// its renewal is over; then it ends, and starts again as the one that waits.
func TestStolenLease(t *testing.T) {
	const tenth = "ctl: create ConfigMap default #10"
	r := electing(t, engine.Perturbation{Point: tenth, Steal: true})
	stolen := at(t, r, "user: steal Lease of ctl #1")
	if stolen != at(t, r, tenth) || len(r.Unapplied) > 0 {
		t.Errorf("stolen at %v; not applied: %q", stolen, r.Unapplied)
	}
	wantLines(t, finding(t, r, "one-leads").Message, tenth+" at ", "changes ConfigMap default/beat-", "but ctl-2 holds the lease default/ctl")
	restarted := at(t, r, "ctl: start #2")
	if after := restarted - stolen; after < 8*time.Second || after > 14*time.Second {
		t.Errorf("the old leader starts again %v after the theft, want 10 s to renew and 1 s to start", after)
	}
	both := 0
	for _, s := range r.Trace.Steps {
		if s.Point.Kind != "ConfigMap" || s.Point.Process != "ctl" || s.At < stolen {
			continue
		}
		both++
		if s.At > restarted {
			t.Fatalf("the old leader writes at %v, after it was started again at %v", s.At, restarted)
		}
	}
	if b := beats(r); both < 5 || !strings.HasPrefix(b[len(b)-1], "ctl-2 ") {
		t.Errorf("the old leader wrote %d times after the theft; wrote: %q", both, b)
	}
	if failed := r.Failed(); len(failed) != 1 {
		t.Errorf("red by %q", failed)
	}
}

// A leader that is cut off gives up before its lease is over, as client-go means
// it to: no two write at a time, but for what waited in line.
func TestLeaderCutOff(t *testing.T) {
	r := electing(t, engine.Perturbation{Point: "ctl: create ConfigMap default #10", Pause: 40 * time.Second})
	b := beats(r)
	if len(b) != 2 || !strings.HasPrefix(b[0], "ctl ") || !strings.HasPrefix(b[1], "ctl-2 ") || r.Red() {
		t.Errorf("wrote: %q; %s", b, summary(r))
	}
}

// Only who leads can be robbed.
func TestNothingToSteal(t *testing.T) {
	r := electing(t, engine.Perturbation{Point: "ctl-2: get Lease default/ctl #2", Steal: true})
	wantLines(t, finding(t, r, sim.CheckSchedule).Message, "ctl-2: get Lease default/ctl #2")
	wantLines(t, strings.Join(linesOf(r, "user: steal"), "\n"), "ctl-2 does not lead: ctl holds Lease default/ctl")
}

func TestElectionInATree(t *testing.T) {
	sc := loaded(t, "until: 10s\n")
	sc.Controllers = []scenario.Controller{{Name: "c", Type: sim.TypeTree, Lease: "default/c", Pos: scenario.Pos{File: "x.yaml", Line: 3, Column: 5}}}
	if _, err := sim.Compile(sc); err == nil || !strings.Contains(err.Error(), "x.yaml:3:5: leaderElection: a controller of type tree elects its leader in its own code") {
		t.Errorf("error %v", err)
	}
}
