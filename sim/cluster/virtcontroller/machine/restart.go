package machine

import (
	"fmt"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

const conditionRestartRequired = "RestartRequired"

const messageRestart = "a non-live-updatable field was changed in the template spec"

// compareWithStart says that a restart is required if the template differs from
// that of the start in more than what can be updated live (kubevirt-behaviour
// B.1). v1.6.2 only ever says so; newer versions also take it back.
func (p *pass) compareWithStart() (required bool) {
	if p.began == nil {
		return false
	}
	before, now := standin.Map(p.began, "template", "spec"), standin.Map(p.content, "spec", "template", "spec")
	if !p.o.Stage {
		before = withLiveUpdates(before, now)
	}
	if standin.Equal(withoutEmpty(before), withoutEmpty(now)) {
		if p.o.Head {
			standin.RemoveCondition(p.content, conditionRestartRequired)
		}
		return false
	}
	p.requireRestart(messageRestart)
	return true
}

func (p *pass) requireRestart(message string) {
	standin.UpdateCondition(p.content, standin.NewCondition(p.Gate.Wall(), conditionRestartRequired, "True", "", message))
}

// liveFields are what can be updated live besides CPU and memory, as far as it is
// modelled (kubevirt-behaviour B.1).
var liveFields = []string{"nodeSelector", "affinity", "tolerations"}

// withLiveUpdates is the older spec with the newer values of what can be updated
// live.
func withLiveUpdates(before, now map[string]any) map[string]any {
	merged := standin.Edit(before)
	take := func(path ...string) {
		if value := standin.Field(now, path...); value != nil {
			standin.Set(merged, value, path...)
		} else {
			standin.Remove(merged, path...)
		}
	}
	for _, field := range liveFields {
		take(field)
	}
	if standin.Map(before, "domain", "cpu") != nil && standin.Map(now, "domain", "cpu") != nil {
		take("domain", "cpu", "sockets")
	}
	if standin.Field(now, "domain", "memory", "guest") != nil {
		take("domain", "memory", "guest")
	}
	return merged
}

// withoutEmpty leaves out lists and maps at the top that are empty: they mean the
// same as none.
func withoutEmpty(spec map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range spec {
		if !empty(value) {
			out[name] = value
		}
	}
	return out
}

// empty tells whether a value is none, an empty list or an empty map.
func empty(value any) bool {
	switch x := value.(type) {
	case nil:
		return true
	case []any:
		return len(x) == 0
	case map[string]any:
		return len(x) == 0
	}
	return false
}

// restartUnscheduled is the fork's: a machine that must restart, and whose
// instance is not scheduled yet, restarts at once (kubevirt-behaviour B.6). First
// the request to start is written, then the instance is deleted: in between, the
// request may be trimmed by a pass that sees it and not the deletion (R6).
func (p *pass) restartUnscheduled() standin.Plan {
	condition := standin.Condition(p.content, conditionRestartRequired)
	unscheduled := p.vmi != nil && (p.vmi.Unprocessed() || p.vmi.Phase == facts.PhaseScheduling)
	if !p.o.Fork || !unscheduled || standin.String(condition, "status") != "True" {
		return p.updateStatus(nil)
	}
	if endsWithStart(facts.StateChanges(p.content)) {
		return p.stopUnscheduled(nil)
	}
	return p.addStartRequest(p.stopUnscheduled)
}

// endsWithStart tells whether the last request is to start.
func endsWithStart(requests []facts.StateChange) bool {
	return len(requests) > 0 && requests[len(requests)-1].Action == facts.ActionStart
}

func (p *pass) stopUnscheduled(failed error) standin.Plan {
	if failed != nil {
		return p.updateStatus(&syncError{failedUpdate, fmt.Errorf("adding a start request: %w", failed)})
	}
	return p.stop(func(failure *syncError) standin.Plan {
		if failure != nil {
			failure.reason = failedUpdate
		}
		return p.updateStatus(failure)
	})
}
