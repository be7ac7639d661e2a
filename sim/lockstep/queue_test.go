package lockstep_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// client-go's queues fit without a conversion, in both directions.
var (
	_ lockstep.RateLimitingQueue[int]              = workqueue.TypedRateLimitingInterface[int](nil)
	_ workqueue.TypedRateLimitingInterface[string] = lockstep.RateLimitingQueue[string](nil)
)

// notes runs a program and returns what it noted.
func notes(t *testing.T, p lockstep.Program) []string {
	t.Helper()
	s := &script{start: []string{"p"}, end: time.Minute, respond: ok}
	if rep := run(t, s, lockstep.Options{Programs: map[string]lockstep.Program{"p": p}}); !rep.Clean() {
		t.Fatalf("run ended badly: %+v", rep)
	}
	return s.log
}

func TestQueueNotesWhatIsDoneWithIt(t *testing.T) {
	got := notes(t, func(_ context.Context, env *lockstep.Env) error {
		q := lockstep.Queue(env, "q:", workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[int]()))
		q.Add(1)
		for range 2 {
			item, _ := q.Get()
			q.AddRateLimited(item)
			q.Done(item)
		}
		q.Forget(1)
		q.AddAfter(2, time.Second)
		q.ShutDown()
		q.Get()
		return nil
	})
	want := []string{
		"0s p note 0 q:add1", "0s p note 0 q:get1", "0s p note 0 q:add-rate-limited1", "0s p note 0 q:done1",
		"5ms p note 0 q:get1", "5ms p note 0 q:add-rate-limited1", "5ms p note 0 q:done1",
		"5ms p note 0 q:forget1", "5ms p note 0 q:add-after21s", "5ms p exit 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notes differ (-want +got):\n%s", diff)
	}
}

// Who adds two keys races with the worker that the first one wakes: one order is
// told, whichever it was.
func TestNotesOfAKeyAreTogether(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		got := notes(t, func(_ context.Context, env *lockstep.Env) error {
			env.Note("q:", "add", "a", "")
			if ahead {
				env.Note("q:", "get", "a", "")
			}
			env.Note("q:", "add", "b", "")
			if !ahead {
				env.Note("q:", "get", "a", "")
			}
			return nil
		})
		want := []string{"0s p note 0 q:adda", "0s p note 0 q:geta", "0s p note 0 q:addb", "0s p exit 0"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("worker ahead %v: notes differ (-want +got):\n%s", ahead, diff)
		}
	}
}

func TestLogHandler(t *testing.T) {
	got := notes(t, func(_ context.Context, env *lockstep.Env) error {
		log := slog.New(env.LogHandler()).With("logger", "controller", "reconcileID", "1234")
		log.Info("there is no pod", "key", "default/vm", "phase", "Scheduling")
		log.Error("cannot get it", "err", "not found", "key", "default/vm")
		log.WithGroup("pod").With("name", "x").Info("grouped")
		log.Debug("a verbose line") // as logr's V(4)
		return nil
	})
	want := []string{
		"0s p note 0 loginfogrouped pod.name=x", // of no key
		"0s p note 0 loginfodefault/vmthere is no pod phase=Scheduling",
		"0s p note 0 logerrordefault/vmcannot get it: not found",
		"0s p exit 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notes differ (-want +got):\n%s", diff)
	}
}
