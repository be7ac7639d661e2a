package sim_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

var outside = make(chan struct{})

const idle = "until: 60s\nexpect:\n  - name: time-passes\n    never: 1 == 2\n"

// Whatever a controller does, its own run ends with a verdict and a reason.
func TestControllersThatMisbehave(t *testing.T) {
	tests := []struct {
		name    string
		program lockstep.Program
		check   string // the check that is red; empty where the run has no verdict
		status  sim.Status
		says    []string
	}{
		{
			name:    "panics",
			program: func(context.Context, *lockstep.Env) error { panic("boom") },
			check:   sim.CheckNoPanic, says: []string{"kube-ovn-controller panicked: boom", "misbehaviour_test.go"},
		},
		{
			name: "panics where client-go catches it",
			program: func(ctx context.Context, _ *lockstep.Env) error {
				go wait.UntilWithContext(ctx, func(context.Context) { panic("worker") }, time.Second)
				<-ctx.Done()
				return nil
			},
			check: sim.CheckNoPanic, says: []string{"kube-ovn-controller panicked: worker", "misbehaviour_test.go"},
		},
		{
			name:    "returns",
			program: func(context.Context, *lockstep.Env) error { return errors.New("no leader") },
			check:   sim.CheckNoExit, says: []string{"kube-ovn-controller ended by itself at 0s: no leader"},
		},
		{
			name: "leaves a goroutine",
			program: func(ctx context.Context, _ *lockstep.Env) error {
				go func() { select {} }()
				<-ctx.Done()
				return nil
			},
			check: sim.CheckNoLeak, says: []string{"process kube-ovn-controller left a goroutine", "misbehaviour_test.go"},
		},
		{
			name: "does not stop",
			program: func(context.Context, *lockstep.Env) error {
				select {}
			},
			check: sim.CheckNoLeak, says: []string{"process kube-ovn-controller did not return"},
		},
		{
			name: "asks for one object without end",
			program: func(ctx context.Context, env *lockstep.Env) error {
				for ctx.Err() == nil {
					ask(ctx, env, "/api/v1/namespaces/default/pods/x")
				}
				return nil
			},
			check: sim.CheckHotLoop, says: []string{"kube-ovn-controller: get Pod default/x"},
		},
		{
			name: "works on one key without end",
			program: func(ctx context.Context, env *lockstep.Env) error {
				queue := lockstep.Queue(env, "nodes", workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()))
				go func() { <-ctx.Done(); queue.ShutDown() }()
				for queue.Add("node-a"); ; {
					key, shutdown := queue.Get()
					if shutdown {
						return nil
					}
					queue.Add(key)
					queue.Done(key)
				}
			},
			check: sim.CheckHotLoop, says: []string{"kube-ovn-controller: takes node-a from its queue nodes again and again"},
		},
		{
			name: "logs without end",
			program: func(ctx context.Context, env *lockstep.Env) error {
				for ctx.Err() == nil {
					env.Note(lockstep.SourceLog, "info", "", "still here")
				}
				return nil
			},
			check: sim.CheckHotLoop, says: []string{"kube-ovn-controller: more than 500000 log lines and queue operations"},
		},
		{
			name: "waits for the world outside",
			program: func(context.Context, *lockstep.Env) error {
				<-outside
				return nil
			},
			status: sim.Hung, says: []string{"a channel that was made outside of the bubble", "misbehaviour_test.go"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := playing(t, written(t, idle), test.program)
			if r.Status != test.status {
				t.Fatalf("status is %q, want %q: %s", r.Status, test.status, r.Detail)
			}
			text := r.Detail
			if test.check != "" {
				text = finding(t, r, test.check).Message
			}
			wantLines(t, text, test.says...)
		})
	}
	t.Run("the others go on", func(t *testing.T) {
		r := playing(t, written(t, idle), func(ctx context.Context, _ *lockstep.Env) error { <-ctx.Done(); return nil })
		if r.Red() || r.Status != sim.Judged {
			t.Error(summary(r))
		}
	})
}

func ask(ctx context.Context, env *lockstep.Env, path string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://cluster"+path, nil)
	if err != nil {
		panic(err)
	}
	if resp, err := env.Transport().RoundTrip(req); err == nil {
		resp.Body.Close()
	}
}

// What a story plans and what never comes of it makes the story red: it would
// prove nothing.
func TestVacuousStories(t *testing.T) {
	const holds = "until: 60s\nexpect:\n  - name: holds\n    never: 1 == 2\n"
	tests := []struct{ name, body, check, says string }{
		{
			"an event whose condition never comes true",
			"timeline:\n  - name: never\n    when: pod('default/x') != null\n    mark: true\n", sim.CheckTimeline, "event never never happened",
		},
		{
			"an event that fails",
			"timeline:\n  - at: 1s\n    delete: {kind: Pod, name: default/ghost}\n", sim.CheckTimeline, `event delete at 1s: pods "ghost" not found`,
		},
		{
			"an eviction that KubeVirt denies",
			"given: {fixtures: [vmim/vm-on-node-a]}\ntimeline:\n  - at: 1s\n    evict: default/virt-launcher-vm-source\n", sim.CheckTimeline,
			"KubeVirt's pod-eviction-admitter denies it: the machine default/vm runs in Pod default/virt-launcher-vm-source",
		},
		{
			"a lag of an informer that has nothing to deliver",
			"informerClock:\n  - {process: kube-ovn-controller, kind: Node, lag: 20ms}\n", sim.CheckInformers, "kube-ovn-controller's informer of Node",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := sim.Run(t, written(t, test.body+holds), "none", sim.Options{})
			wantLines(t, finding(t, r, test.check).Message, test.says)
		})
	}
}
