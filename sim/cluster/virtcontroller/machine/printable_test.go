package machine

import (
	"testing"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
)

// TestPrintable: kubevirt-behaviour A.6. Each case satisfies its row and as many
// later ones as it can, so that a change of the order shows.
func TestPrintable(t *testing.T) {
	const (
		unschedulable = `conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]`
		migrating     = `migrationState: {startTimestamp: "2030-01-01T00:00:00Z"}`
		migrated      = `migrationState: {startTimestamp: "2030-01-01T00:00:00Z", endTimestamp: "2030-01-01T00:00:01Z"}`
		paused        = `conditions: [{type: Paused, status: "True"}, {type: PodScheduled, status: "False", reason: Unschedulable}]`
	)
	notSynchronized := func(reason string) string {
		return `conditions: [{type: Synchronized, status: "False", reason: ` + reason + `}, {type: PodScheduled, status: "False", reason: Unschedulable}]`
	}
	vmi := func(meta, status string) *facts.VMI { return vmiWith(t, meta, status) }
	for _, c := range []struct {
		name string
		view view
		want string
	}{
		{"row 1: the machine is being deleted", view{deleting: true, vmi: vmi(deleting, "phase: Running, "+migrating)}, "Terminating"},
		{"row 2: the instance is being deleted", view{vmi: vmi(deleting, "phase: Running, "+migrating)}, "Stopping"},
		{"row 2: its deletion is expected", view{stopping: true, vmi: vmi("", "phase: Scheduling, "+unschedulable)}, "Stopping"},
		{"row 2: not for an ended one", view{stopping: true, vmi: vmi(deleting, "phase: Failed")}, "Stopped"},
		{"row 3: migrating", view{vmi: vmi("", "phase: Running, "+migrating)}, "Migrating"},
		{"row 3: no more", view{vmi: vmi("", "phase: Running, "+migrated)}, "Running"},
		{"row 4: paused", view{vmi: vmi("", "phase: Running, "+paused)}, "Paused"},
		{"row 5: running, whatever else is said of it", view{vmi: vmi("", "phase: Running, "+unschedulable)}, "Running"},
		{"row 6: no claim", view{vmi: vmi("", "phase: Pending, "+notSynchronized("FailedPvcNotFound"))}, "ErrorPvcNotFound"},
		{"row 8: unschedulable", view{vmi: vmi("", "phase: Scheduling, "+unschedulable)}, "ErrorUnschedulable"},
		{"row 8: also after it failed", view{failures: 1, strategy: "Always", vmi: vmi("", "phase: Failed, "+unschedulable)}, "ErrorUnschedulable"},
		{"row 8: for another reason", view{vmi: vmi("", `phase: Scheduling, conditions: [{type: PodScheduled, status: "False", reason: SchedulerError}]`)}, "Starting"},
		{"row 11: image", view{vmi: vmi("", `phase: Scheduling, conditions: [{type: Synchronized, status: "False", reason: ErrImagePull}]`)}, "ErrImagePull"},
		{"row 12: image, again", view{vmi: vmi("", `phase: Scheduling, conditions: [{type: Synchronized, status: "False", reason: ImagePullBackOff}]`)}, "ImagePullBackOff"},
		{"row 13: creation expected", view{creating: true, failures: 1, strategy: "Always"}, "Starting"},
		{"row 13: no phase", view{vmi: vmi("", "")}, "Starting"},
		{"row 13: Pending", view{vmi: vmi("", "phase: Pending")}, "Starting"},
		{"row 13: Scheduling", view{vmi: vmi("", "phase: Scheduling")}, "Starting"},
		{"row 13: Scheduled", view{vmi: vmi("", "phase: Scheduled")}, "Starting"},
		{"row 14: gone after failures", view{failures: 1, strategy: "Always"}, "CrashLoopBackOff"},
		{"row 14: ended after failures", view{failures: 2, strategy: "RerunOnFailure", vmi: vmi("", "phase: Failed")}, "CrashLoopBackOff"},
		{"row 14: Once", view{failures: 1, strategy: "Once"}, "CrashLoopBackOff"},
		{"row 14: never Manual", view{failures: 1, strategy: "Manual"}, "Stopped"},
		{"row 15: gone", view{strategy: "Manual"}, "Stopped"},
		{"row 15: ended", view{strategy: "Manual", vmi: vmi("", "phase: Succeeded")}, "Stopped"},
		{"row 16: waits", view{strategy: "WaitAsReceiver", vmi: vmi("", "phase: WaitingForSync")}, "WaitingForReceiver"},
		{"none", view{strategy: "Always", vmi: vmi("", "phase: Unknown")}, "Unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := printable(&c.view); got != c.want {
				t.Errorf("want %s, found %s", c.want, got)
			}
		})
	}
}
