package machine

import "github.com/vmreplay/vmreplay/sim/cluster/facts"

// An action is what the run strategy asks for.
type action int

const (
	nothing      action = iota
	start               // create the instance
	startGated          // create it, but not before the back-off after failures is over
	stop                // delete the instance
	stopAndStart        // delete it and ask for another start
	unhalt              // change the strategy from Halted to Always
	unknown             // the strategy means nothing
	notAReceiver        // an instance that does not wait for a machine is there
)

// decide is kubevirt-behaviour A.3: what a run strategy does about an instance.
// last is the strategy that the status shows, next the first request, if any.
func decide(strategy, last string, vmi *facts.VMI, next *facts.StateChange) action {
	stopAsked := vmi != nil && next != nil && next.Action == facts.ActionStop && next.UID == vmi.UID
	startAsked := next != nil && next.Action == facts.ActionStart
	switch strategy {
	case facts.RunAlways:
		return decideAlways(vmi, stopAsked)
	case facts.RunRerunOnFailure:
		return decideRerun(vmi, stopAsked, startAsked || last != strategy)
	case facts.RunManual:
		return pick(vmi == nil && startAsked, start, pick(stopAsked, stop, nothing))
	case facts.RunHalted:
		return pick(vmi != nil, stop, pick(startAsked, unhalt, nothing))
	case facts.RunOnce:
		return pick(vmi == nil, start, nothing)
	case facts.RunWaitAsReceiver:
		receiver := vmi == nil || vmi.Annotation(facts.AnnotationReceiver) == "true" || vmi.State != nil && vmi.State.Completed
		return pick(vmi == nil, start, pick(receiver, nothing, notAReceiver))
	}
	return unknown
}

func decideAlways(vmi *facts.VMI, stopAsked bool) action {
	if vmi == nil {
		return startGated
	}
	return pick(stopAsked || vmi.Final(), stop, nothing)
}

func decideRerun(vmi *facts.VMI, stopAsked, startAsked bool) action {
	switch {
	case vmi == nil:
		return pick(startAsked, startGated, nothing)
	case vmi.Deleting:
		return nothing
	case vmi.Phase == facts.PhaseFailed:
		return stopAndStart
	}
	return pick(stopAsked || vmi.Final(), stop, nothing)
}

func pick(condition bool, then, otherwise action) action {
	if condition {
		return then
	}
	return otherwise
}
