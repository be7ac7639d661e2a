package virtcontroller

import (
	"strconv"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
)

// Time-outs of a target pod, both from its creation (D.6); annotations of the
// migration override them.
const (
	unschedulableTimeout = 300 * time.Second
	pendingTimeout       = 900 * time.Second
)

// checkPendingPod deletes a target pod that is pending for too long, or comes
// back when it would be. The deletion alone ends nothing: the next pass finds no
// pod and fails the migration (D.6).
func (p *pass) checkPendingPod() {
	if p.target.Phase != facts.PhasePending || p.target.Deleting {
		return
	}
	// creationTimestamp has whole seconds, so the age is up to one second more
	// than real, as in the original.
	age := p.Gate.Wall().Sub(p.target.Created)
	if p.target.Unschedulable && p.timedOut(age, "unschedulable", facts.AnnotationUnschedulableTimeout, unschedulableTimeout) {
		return
	}
	p.timedOut(age, "pending", facts.AnnotationPendingTimeout, pendingTimeout)
}

func (p *pass) timedOut(age time.Duration, what, annotation string, timeout time.Duration) bool {
	if seconds, err := strconv.Atoi(p.m.Annotation(annotation)); err == nil {
		timeout = time.Duration(seconds) * time.Second
	}
	if age >= timeout {
		p.do(p.Delete(p.target.Ref, "", nil))
		return true
	}
	p.queue.AddAfter(p.key, timeout-age, what+" target pod timeout "+timeout.String())
	return false
}
