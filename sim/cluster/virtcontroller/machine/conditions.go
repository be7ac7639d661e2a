package machine

import (
	"maps"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

const (
	conditionReady   = "Ready"
	conditionFailure = "Failure"
)

// own are the conditions of a machine that are not its instance's.
var own = map[string]bool{conditionReady: true, conditionFailure: true, conditionRestartRequired: true}

// syncConditions: kubevirt-behaviour A.7. While there is no instance, what was
// mirrored from the last one stays.
func (p *pass) syncConditions(failure *syncError) {
	p.syncReady()
	p.syncFailure(failure)
	if p.vmi == nil {
		return
	}
	mirrored := map[string]bool{}
	for _, c := range standin.Items(p.vmi.Content(), "status", "conditions") {
		if kind := standin.String(c, "type"); !own[kind] {
			mirrored[kind] = true
			standin.UpdateCondition(p.content, c)
		}
	}
	for _, c := range standin.Items(p.content, "status", "conditions") {
		if kind := standin.String(c, "type"); !own[kind] && !mirrored[kind] {
			standin.RemoveCondition(p.content, kind)
		}
	}
}

func (p *pass) syncReady() {
	c := standin.NewCondition(p.Gate.Wall(), conditionReady, "False", "VMINotExists", "VMI does not exist")
	if p.vmi != nil {
		c["reason"], c["message"] = "VMIConditionMissing", "VMI is missing the Ready condition"
		if ready := p.vmi.Condition(conditionReady); ready != nil {
			c = maps.Clone(ready)
		}
	}
	standin.UpdateCondition(p.content, c)
}

func (p *pass) syncFailure(failure *syncError) {
	if failure == nil {
		standin.RemoveCondition(p.content, conditionFailure)
		return
	}
	standin.UpdateCondition(p.content, standin.NewCondition(p.Gate.Wall(), conditionFailure, "True", failure.reason, failure.Error()))
}
