package kubelet

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// runningStatus is the status of a pod whose containers were started: each is
// ready, and so is the pod if its readiness gates are open.
func runningStatus(content map[string]any, now time.Time) bool {
	statuses := []any{}
	for _, c := range standin.Items(content, "spec", "containers") {
		statuses = append(statuses, map[string]any{
			"name": standin.String(c, "name"), "image": standin.String(c, "image"), "imageID": "",
			"ready": true, "started": true, "restartCount": int64(0),
			"state": map[string]any{"running": map[string]any{"startedAt": standin.Timestamp(now)}},
		})
	}
	standin.Set(content, facts.PhaseRunning, "status", "phase")
	standin.Set(content, standin.Timestamp(now), "status", "startTime")
	standin.Set(content, statuses, "status", "containerStatuses")
	standin.SetCondition(content, now, "Initialized", "True", "", "")
	standin.SetCondition(content, now, "ContainersReady", "True", "", "")
	setReady(content, now)
	return true
}

// setReady sets the Ready condition: all containers and all readiness gates.
func setReady(content map[string]any, now time.Time) bool {
	if gatesOpen(content) {
		return standin.SetCondition(content, now, "Ready", "True", "", "")
	}
	return standin.SetCondition(content, now, "Ready", "False", "ReadinessGatesNotReady", "")
}

// readyChanged tells whether the Ready condition of a running pod is not what its
// readiness gates say. Pods without containers' statuses are scripted; theirs is
// left alone.
func readyChanged(content map[string]any) bool {
	ready := standin.Condition(content, "ContainersReady")
	if ready == nil || standin.String(ready, "status") != "True" {
		return false
	}
	isReady := standin.String(standin.Condition(content, "Ready"), "status") == "True"
	return isReady != gatesOpen(content)
}

func gatesOpen(content map[string]any) bool {
	for _, gate := range standin.Items(content, "spec", "readinessGates") {
		c := standin.Condition(content, standin.String(gate, "conditionType"))
		if standin.String(c, "status") != "True" {
			return false
		}
	}
	return true
}

// endedStatus is the last status of a pod.
func endedStatus(content map[string]any, now time.Time, succeeded bool) bool {
	phase, code, reason := facts.PhaseSucceeded, int64(0), "Completed"
	if !succeeded {
		phase, code, reason = facts.PhaseFailed, int64(1), "Error"
	}
	statuses := []any{}
	for _, s := range standin.Items(content, "status", "containerStatuses") {
		s = standin.Edit(s)
		s["ready"], s["started"] = false, false
		s["state"] = map[string]any{"terminated": map[string]any{
			"exitCode": code, "reason": reason, "finishedAt": standin.Timestamp(now),
		}}
		statuses = append(statuses, s)
	}
	standin.Set(content, phase, "status", "phase")
	if len(statuses) > 0 {
		standin.Set(content, statuses, "status", "containerStatuses")
	}
	for _, kind := range []string{"ContainersReady", "Ready"} {
		standin.SetCondition(content, now, kind, "False", "PodCompleted", "")
	}
	return true
}
