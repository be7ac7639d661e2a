package machine

import (
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// A view is what the printable status depends on.
type view struct {
	deleting           bool
	strategy           string
	vmi                *facts.VMI // nil if there is none
	creating, stopping bool       // a creation or deletion of the instance is expected
	failures           int64      // failed starts in a row
}

func (p *pass) printableStatus() string {
	strategy, _ := facts.RunStrategy(p.content) // two strategies do not get here
	failures, _ := standin.Int(p.content, "status", "startFailure", "consecutiveFailCount")
	return printable(&view{
		deleting: p.vm.Deleting, strategy: strategy, vmi: p.vmi, failures: failures,
		creating: p.expected.Creating(p.key), stopping: p.expected.Deleting(p.key),
	})
}

// A row is one line of kubevirt-behaviour A.6.
type row struct {
	status  string
	applies func(v *view) bool
}

// rows are in their order: the first that applies wins. Rows 7, 9 and 10 are about
// DataVolumes and volumes that wait for their node, which are not modelled.
var rows = []row{
	{"Terminating", func(v *view) bool { return v.deleting }},
	{"Stopping", func(v *view) bool { return v.vmi != nil && !v.vmi.Final() && (v.vmi.Deleting || v.stopping) }},
	{"Migrating", func(v *view) bool { return v.vmi != nil && v.vmi.Migrating() }},
	{"Paused", func(v *view) bool { return v.in(facts.PhaseRunning) && v.vmi.Has("Paused", "True") }},
	{"Running", func(v *view) bool { return v.in(facts.PhaseRunning) }},
	{"ErrorPvcNotFound", func(v *view) bool { return v.unsynchronized("FailedPvcNotFound") }},
	{"ErrorUnschedulable", func(v *view) bool { return v.isFalse("PodScheduled", "Unschedulable") }},
	{"ErrImagePull", func(v *view) bool { return v.unsynchronized("ErrImagePull") }},
	{"ImagePullBackOff", func(v *view) bool { return v.unsynchronized("ImagePullBackOff") }},
	{"Starting", func(v *view) bool {
		return v.vmi == nil && v.creating || v.vmi != nil && v.vmi.Unprocessed() || v.in(facts.PhaseScheduling) || v.in(facts.PhaseScheduled)
	}},
	{"CrashLoopBackOff", func(v *view) bool {
		return (v.vmi == nil || v.vmi.Final()) && !v.creating && v.failures > 0 && retries(v.strategy)
	}},
	{"Stopped", func(v *view) bool { return v.vmi == nil && !v.creating || v.vmi != nil && v.vmi.Final() }},
	{"WaitingForReceiver", func(v *view) bool {
		return (v.vmi == nil || v.in(facts.PhaseWaitingForSync)) && v.strategy == facts.RunWaitAsReceiver
	}},
}

// printable is the printable status of a machine.
func printable(v *view) string {
	for _, r := range rows {
		if r.applies(v) {
			return r.status
		}
	}
	return "Unknown"
}

func (v *view) in(phase string) bool { return v.vmi != nil && v.vmi.Phase == phase }

func (v *view) unsynchronized(reason string) bool { return v.isFalse("Synchronized", reason) }

// isFalse tells whether the instance has a condition that is False for a reason.
func (v *view) isFalse(kind, reason string) bool {
	return v.vmi != nil && v.vmi.Has(kind, "False") && standin.String(v.vmi.Condition(kind), "reason") == reason
}
