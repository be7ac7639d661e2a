package virtcontroller

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// reconcileInstance keeps what follows from an instance's pods: status.activePods
// over all owned pods (C.2), the readiness gate of the current pod, and the end of
// the instance when its pod is gone (C.1).
func (c *Controller) reconcileInstance(key string) standin.Plan {
	vmi := c.vmis.Get(key)
	if vmi == nil || vmi.Final() || vmi.Phase != facts.PhaseRunning {
		delete(c.lost, key)
		return standin.Plan{}
	}
	current := c.currentPod(vmi)
	if current != nil {
		delete(c.lost, key)
	}
	var ops []standin.Op
	if c.lost[key] {
		ops = append(standin.Replace("/status/nodeName", vmi.NodeName, vmi.NodeName),
			standin.Replace("/status/phase", vmi.Phase, facts.PhaseFailed)...)
	}
	ops = append(ops, c.activePods(vmi)...)
	var plan standin.Plan
	if len(ops) > 0 {
		plan.Writes = append(plan.Writes, c.PatchJSON(vmi.Ref, ops, ""))
	}
	if current != nil && gateClosed(current) {
		plan.Writes = append(plan.Writes, c.PatchLive(current.Ref, current.UID, standin.Status, c.openGate))
	}
	return plan
}

// podDeleted notes that an instance lost the pod that it ran in. Whether it has
// another one by then, the reconcile sees.
func (c *Controller) podDeleted(pod *facts.Pod) {
	if vmi := c.instanceOf(pod); vmi != nil && pod.NodeName == vmi.NodeName {
		c.lost[vmi.Key()] = true
	}
}

func (c *Controller) activePods(vmi *facts.VMI) []standin.Op {
	active := map[string]any{}
	for _, p := range c.pods.By(byOwner, vmi.UID) {
		active[p.UID] = p.NodeName
	}
	was := standin.Field(vmi.Content(), "status", "activePods")
	if standin.Equal(active, was) || was == nil && len(active) == 0 {
		return nil
	}
	return standin.Replace("/status/activePods", was, active)
}

// gateClosed tells whether a running pod waits for its readiness gate.
func gateClosed(p *facts.Pod) bool {
	if p.Final() || p.Deleting || p.Phase != facts.PhaseRunning {
		return false
	}
	for _, gate := range standin.Items(p.Content(), "spec", "readinessGates") {
		if standin.String(gate, "conditionType") == facts.GateUnpaused {
			return standin.String(standin.Condition(p.Content(), facts.GateUnpaused), "status") != "True"
		}
	}
	return false
}

func (c *Controller) openGate(content map[string]any) bool {
	return standin.SetCondition(content, c.now(), facts.GateUnpaused, "True", "NotPaused", "the virtual machine is not paused")
}

func (c *Controller) now() time.Time { return c.Gate.Wall() }
