package sim

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// The durations that client-go's leader election and controller-runtime have by
// default, as nearly everybody uses them.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
)

// errDeposed is with what a process ends that was the leader and is no more.
// Programs do so at once, whatever they are at; kubelet starts them again.
var errDeposed = errors.New("leader election lost")

// deposedRestart is how long kubelet takes for that.
const deposedRestart = time.Second

// elected is a program of which only one replica works at a time: client-go's own
// leader election, by a Lease.
func elected(program lockstep.Program, lease engine.Ref) lockstep.Program {
	return func(ctx context.Context, env *lockstep.Env) error {
		client, err := coordinationv1.NewForConfig(RESTConfig(env))
		if err != nil {
			return err
		}
		ended := make(chan error, 1)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		lead := func(leading context.Context) {
			defer func() {
				if v := recover(); v != nil {
					lockstep.Panicked(v, debug.Stack())
				}
			}()
			err := program(leading, env)
			byItself := leading.Err() == nil
			ended <- err
			if byItself {
				cancel()
			}
		}
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta: metav1.ObjectMeta{Namespace: lease.Namespace, Name: lease.Name}, Client: client,
				LockConfig: resourcelock.ResourceLockConfig{Identity: env.Process()},
			},
			LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
			Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: lead, OnStoppedLeading: func() {}},
		})
		if err != nil {
			return err
		}
		return run(ctx, elector, ended)
	}
}

// run takes part in the election until the process is killed, the program ends by
// itself, or it is deposed. In the first two cases ctx is done. In the last one the
// program is told to end, too; whether it has done so by now is left to luck, and
// must not count.
func run(ctx context.Context, elector *leaderelection.LeaderElector, ended <-chan error) error {
	elector.Run(ctx)
	if ctx.Err() == nil {
		return errDeposed
	}
	select {
	case err := <-ended:
		return err
	default:
	}
	if elector.IsLeader() {
		return <-ended
	}
	return nil
}

// exited starts a process again that ended because it was deposed. Whatever it
// was at ends with it.
func (w *World) exited(process, text string) {
	if text != errDeposed.Error() {
		return
	}
	if err := w.kill(process, deposedRestart); err != nil {
		panic("sim: a process of the story cannot be started again: " + err.Error())
	}
}

// steal hands the lease of a process to the next replica, as whoever edits it by
// hand does. The old leader learns of it when it renews, and goes on until its
// deadline for that is over.
func (w *World) steal(process string) error {
	i := slices.IndexFunc(w.Story.Controllers, func(c scenario.Controller) bool { return c.Name == process && c.Lease != "" })
	if i < 0 {
		return fmt.Errorf("%s elects no leader", process)
	}
	ref := engine.ParseKey("Lease", w.Story.Controllers[i].Lease)
	lease, err := w.API.Get(ref)
	if err != nil {
		return err
	}
	spec, _ := lease.Content()["spec"].(map[string]any)
	if spec["holderIdentity"] != process {
		return fmt.Errorf("%s does not lead: %v holds %s", process, spec["holderIdentity"], ref)
	}
	heirs := w.Story.replicas(w.Story.Controllers[i].Lease)
	heir := heirs[(slices.Index(heirs, process)+1)%len(heirs)]
	if heir == process {
		return fmt.Errorf("%s has no other replica", process)
	}
	now := w.Engine.Wall().UTC().Format(metav1.RFC3339Micro)
	merge := fmt.Sprintf(`{"spec":{"holderIdentity":%q,"acquireTime":%q,"renewTime":%q}}`, heir, now, now)
	_, err = w.API.Patch(ref, types.MergePatchType, []byte(merge), "")
	return err
}

// replicas are the processes that elect a leader by a lease, in the order of the
// file.
func (s *Story) replicas(lease string) []string {
	var all []string
	for _, c := range s.Controllers {
		if c.Lease == lease {
			all = append(all, c.Name)
		}
	}
	return all
}

// elects says that a story's controllers elect a leader.
func (s *Story) elects() bool {
	return slices.ContainsFunc(s.Controllers, func(c scenario.Controller) bool { return c.Lease != "" })
}

// drawing keeps runs apart that draw from math/rand, which is one for the whole
// process: leader election draws whenever it waits. Others, which draw only when
// they back off, may go on side by side.
var drawing sync.RWMutex

// alone waits until a run may begin, and returns what ends it.
func (s *Story) alone() (end func()) {
	if s.elects() {
		drawing.Lock()
		return drawing.Unlock
	}
	drawing.RLock()
	return drawing.RUnlock
}
