package virthandler

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// completionPerGiB is how long a migration may take for each GiB of memory, and
// monitorTick how often the source looks (kubevirt-behaviour D.6:
// completionTimeoutPerGiB 150 s, 400 ms tick).
const (
	completionPerGiB = 150 * time.Second
	monitorTick      = 400 * time.Millisecond
)

// A job is one migration of a domain, on both nodes.
type job struct {
	uid    string // of the migration
	target string // pod
	// prepared: the target can receive. started: the source sends. moved: the
	// domain runs on the target. failure is why it never will.
	prepared, started, moved bool
	failure                  string
	cancel                   func() // of the running timer
}

func (j *job) stop() {
	if j.cancel != nil {
		j.cancel()
		j.cancel = nil
	}
}

// fail ends a job that has not moved the domain yet.
func (j *job) fail(reason string) {
	if j.moved || j.failure != "" {
		return
	}
	j.stop()
	j.failure = reason
}

// jobOf is the job of an instance's present migration.
func (v *Handler) jobOf(vmi *facts.VMI) *job {
	j := v.jobs[vmi.Key()]
	if j != nil && j.uid == vmi.State.UID {
		return j
	}
	if j != nil {
		j.stop()
	}
	// After a restart of virt-handler the launchers still know how far they are.
	j = &job{uid: vmi.State.UID, target: vmi.State.TargetPod, prepared: vmi.State.TargetAddress != "", moved: vmi.State.TargetReady}
	v.jobs[vmi.Key()] = j
	return j
}

// targetLost is the reason of a migration whose target launcher is gone.
const targetLost = "the target domain was lost"

// targetRuns says whether there is a launcher that the domain can move to.
func (v *Handler) targetRuns(vmi *facts.VMI) bool {
	return v.o.Launchers == nil || v.o.Launchers.Runs(vmi.Sibling(vmi.State.TargetPod))
}

// prepare sets the target up, once. Without a launcher there is nothing to set up;
// it is virt-controller that gives such a migration up (D.5).
func (v *Handler) prepare(vmi *facts.VMI, j *job) {
	if j.cancel != nil || !v.targetRuns(vmi) {
		return
	}
	v.wait(vmi, j, "migration target prepared", v.o.Prepare, func() { j.prepared = true })
}

// transfer moves the domain, once. It fails if the migration's time is over
// before.
func (v *Handler) transfer(vmi *facts.VMI, j *job) {
	if j.started {
		return
	}
	j.started = true
	if v.o.Launchers != nil {
		v.o.Launchers.Started(vmi.Sibling(vmi.State.TargetPod))
	}
	limit := completionTimeout(vmi)
	if v.o.Transfer <= limit {
		v.wait(vmi, j, "domain transferred", v.o.Transfer, func() { j.moved = true })
		return
	}
	at := (limit/monitorTick + 1) * monitorTick
	v.wait(vmi, j, "migration completion timeout "+limit.String(), at, func() {
		j.fail(fmt.Sprintf("Live migration is not completed after %s and has been aborted", limit))
	})
}

func (v *Handler) wait(vmi *facts.VMI, j *job, detail string, delay time.Duration, over func()) {
	j.cancel = v.Timer(vmi.Ref, detail, delay, func() {
		j.cancel = nil
		over()
		v.queue.Add(vmi.Key())
	})
}

// completionTimeout is 150 s for each GiB begun of the guest's memory.
func completionTimeout(vmi *facts.VMI) time.Duration {
	memory := standin.String(vmi.Content(), "spec", "domain", "memory", "guest")
	if memory == "" {
		memory = standin.String(vmi.Content(), "spec", "domain", "resources", "requests", "memory")
	}
	gib := int64(1)
	if q, err := resource.ParseQuantity(memory); err == nil {
		gib = max(gib, (q.Value()+1<<30-1)>>30)
	}
	return time.Duration(gib) * completionPerGiB
}
