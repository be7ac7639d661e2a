package facts

import (
	"cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// A Pod is what the stand-ins read of a pod.
type Pod struct {
	Meta
	NodeName string
	Phase    string // "" reads as Pending
	OwnerUID string // of the controller that owns it
	// Unschedulable: PodScheduled=False for the reason Unschedulable.
	Unschedulable bool
	// Ready is IsPodReady (C.1): phase Running, not being deleted, the compute
	// container running and all others ready. The pod's own Ready condition,
	// which depends on the readiness gate, does not matter.
	Ready bool
	// ComputeEnded: the compute container has terminated.
	ComputeEnded bool
}

// ReadPod makes the facts of a pod.
func ReadPod(r engine.Revision) *Pod {
	c := r.Content()
	p := &Pod{
		Meta:     metaOf(r),
		NodeName: standin.String(c, "spec", "nodeName"),
		Phase:    cmp.Or(standin.String(c, "status", "phase"), PhasePending),
	}
	p.OwnerUID = OwnerOf(c).UID
	if cond := standin.Condition(c, "PodScheduled"); cond != nil {
		p.Unschedulable = standin.String(cond, "status") == "False" && standin.String(cond, "reason") == "Unschedulable"
	}
	running := false
	others := true
	for _, s := range standin.Items(c, "status", "containerStatuses") {
		if !IsCompute(standin.String(s, "name")) {
			others = others && standin.Bool(s, "ready")
			continue
		}
		running = standin.Map(s, "state", "running") != nil
		p.ComputeEnded = standin.Map(s, "state", "terminated") != nil
	}
	p.Ready = p.Phase == PhaseRunning && !p.Deleting && running && others
	return p
}

// IsCompute tells whether a container is the one that runs the virtual machine.
func IsCompute(container string) bool { return container == Compute || container == ForkCompute }

// InstanceUID is of the instance that the pod belongs to; "" if it belongs to none.
func (p *Pod) InstanceUID() string { return cmp.Or(p.OwnerUID, p.Label(LabelCreatedBy)) }

// Final tells whether the pod has ended.
func (p *Pod) Final() bool { return Final(p.Phase) }

// Down tells whether the pod ended or its compute container did (C.1, without
// the deletionTimestamp).
func (p *Pod) Down() bool { return p.Final() || p.ComputeEnded }
