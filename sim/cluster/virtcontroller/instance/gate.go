package instance

import (
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// gateClosed tells whether a pod still waits for its readiness gate (C.3).
func gateClosed(p *facts.Pod) bool {
	if p.Final() || p.Deleting {
		return false
	}
	for _, gate := range standin.Items(p.Content(), "spec", "readinessGates") {
		if standin.String(gate, "conditionType") == facts.GateUnpaused {
			return standin.String(standin.Condition(p.Content(), facts.GateUnpaused), "status") != "True"
		}
	}
	return false
}

func (p *pass) openGate(content map[string]any) bool {
	return standin.SetCondition(content, p.now(), facts.GateUnpaused, "True", "NotPaused", "the virtual machine is not paused")
}
