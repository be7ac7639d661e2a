package instance

import (
	"maps"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// Conditions of an instance.
const (
	conditionReady        = "Ready"
	conditionPodScheduled = "PodScheduled"
	conditionSynchronized = "Synchronized"
)

// syncReady derives Ready from the pod (kubevirt-behaviour A.7).
func (p *pass) syncReady(content map[string]any) {
	set := func(reason, message string) {
		standin.UpdateCondition(content, standin.NewCondition(p.now(), conditionReady, "False", reason, message))
	}
	switch {
	case p.pod == nil:
		set("PodNotExists", "virt-launcher pod has not yet been scheduled")
	case p.pod.Down() || p.pod.Deleting:
		set("PodTerminating", "virt-launcher pod is terminating")
	case p.vmi.Phase != facts.PhaseRunning:
		set("GuestNotRunning", "Guest VM is not reported as running")
	default:
		ready := standin.Condition(p.pod.Content(), conditionReady)
		if ready == nil {
			set("PodConditionMissing", "virt-launcher pod is missing the Ready condition")
			return
		}
		standin.UpdateCondition(content, ready)
	}
}

// syncPodScheduled copies the pod's PodScheduled while it is False, once: what is
// there is not refreshed. It goes when the pod is scheduled (A.7, C.1).
func (p *pass) syncPodScheduled(content map[string]any) {
	scheduled := standin.Condition(p.pod.Content(), conditionPodScheduled)
	if standin.String(scheduled, "status") != "False" {
		standin.RemoveCondition(content, conditionPodScheduled)
		return
	}
	if standin.Condition(content, conditionPodScheduled) == nil {
		c := maps.Clone(scheduled)
		delete(c, "observedGeneration") // a pod's, and unknown to instances
		standin.UpdateCondition(content, c)
	}
}

// syncSynchronized shows why the sync failed, as long as it does for the same
// reason.
func (p *pass) syncSynchronized(content map[string]any, failure *syncError) {
	old := standin.Condition(content, conditionSynchronized)
	isFalse := standin.String(old, "status") == "False"
	switch {
	case failure == nil && isFalse:
		standin.RemoveCondition(content, conditionSynchronized)
	case failure != nil && !(isFalse && standin.String(old, "reason") == failure.reason):
		standin.RemoveCondition(content, conditionSynchronized)
		standin.UpdateCondition(content, standin.NewCondition(p.now(), conditionSynchronized, "False", failure.reason, failure.Error()))
	}
}
