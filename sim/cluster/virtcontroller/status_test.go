package virtcontroller_test

import (
	"testing"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// TestNextPhase: one reconcile from each phase, by D.4's failures and D.3's path.
func TestNextPhase(t *testing.T) {
	const (
		handed   = ", migrationState: {migrationUid: mig-vm, sourceNode: node-a, targetNode: node-b, targetPod: target-vm, sourcePod: source-vm}"
		address  = ", migrationState: {migrationUid: mig-vm, targetNode: node-b, targetNodeAddress: 192.0.2.2}"
		started  = `, migrationState: {migrationUid: mig-vm, targetNode: node-b, targetNodeAddress: 192.0.2.2, startTimestamp: "2030-01-01T00:00:00Z"}`
		done     = `, migrationState: {migrationUid: mig-vm, targetNode: node-b, startTimestamp: "2030-01-01T00:00:00Z", endTimestamp: "2030-01-01T00:00:00Z", completed: true}`
		broken   = `, migrationState: {migrationUid: mig-vm, targetNode: node-b, startTimestamp: "2030-01-01T00:00:00Z", endTimestamp: "2030-01-01T00:00:00Z", completed: true, failed: true}`
		others   = ", migrationState: {migrationUid: mig-other, targetNode: node-b}"
		hotplug  = done + `, conditions: [{type: HotVCPUChange, status: "False"}]`
		required = done + `, conditions: [{type: MigrationRequired, status: "True"}]`
		nothing  = ""
		deleting = `, deletionTimestamp: "2030-01-01T00:00:00Z", deletionGracePeriodSeconds: 30`
	)
	for _, c := range []struct {
		name   string
		phase  string // of the migration
		vmi    string // phase of the instance
		state  string
		pods   []string
		want   string
		others string // a further object
	}{
		{"D.3: accepted", "", "Running", nothing, []string{source("vm")}, "Pending", ""},
		{"D.3: another migration is under way", "", "Running", others, []string{source("vm")}, "Failed", otherMigration("Running")},
		{"D.3: another migration is over", "", "Running", others, []string{source("vm")}, "Pending", otherMigration("Succeeded")},
		{"D.3: another migration is gone", "", "Running", others, []string{source("vm")}, "Pending", ""},
		{"D.3: target pod in the cache", "Pending", "Running", nothing, []string{source("vm"), target("vm", "Pending", "")}, "Scheduling", ""},
		{"D.3: target pod not ready", "Scheduling", "Running", nothing, []string{source("vm"), target("vm", "Pending", "")}, "Scheduling", ""},
		{"D.3: target pod ready", "Scheduling", "Running", nothing, []string{source("vm"), target("vm", "Running", "")}, "Scheduled", ""},
		{"D.3: handed off", "Scheduled", "Running", handed, []string{source("vm"), target("vm", "Running", "")}, "PreparingTarget", ""},
		{"D.3: another migration's state is no hand-off", "Scheduled", "Running", others, []string{source("vm"), target("vm", "Running", "")}, "Scheduled", ""},
		{"D.3: no address yet", "PreparingTarget", "Running", handed, []string{source("vm"), target("vm", "Running", "")}, "PreparingTarget", ""},
		{"D.3: target prepared", "PreparingTarget", "Running", address, []string{source("vm"), target("vm", "Running", "")}, "TargetReady", ""},
		{"D.3: source started", "TargetReady", "Running", started, []string{source("vm"), target("vm", "Running", "")}, "Running", ""},
		{"D.3: completed", "Running", "Running", done, []string{source("vm"), target("vm", "Running", "")}, "Succeeded", ""},
		{"D.3: completed, but CPUs are still being plugged", "Running", "Running", hotplug, []string{source("vm"), target("vm", "Running", "")}, "Running", ""},
		{"D.3: completed, but another is required", "Running", "Running", required, []string{source("vm"), target("vm", "Running", "")}, "Running", ""},
		{"D.4 row 2: instance final", "Pending", "Failed", nothing, []string{source("vm")}, "Failed", ""},
		{"D.4 row 4: target pod failed", "Scheduling", "Running", nothing, []string{source("vm"), target("vm", "Failed", "")}, "Failed", ""},
		{"D.4 row 4: target pod succeeded", "Scheduled", "Running", nothing, []string{source("vm"), target("vm", "Succeeded", "")}, "Failed", ""},
		{"D.4 row 5: target pod not in the cache", "Scheduling", "Running", nothing, []string{source("vm")}, "Failed", ""},
		{"D.4 row 6: no state", "PreparingTarget", "Running", nothing, []string{source("vm"), target("vm", "Running", "")}, "Failed", ""},
		{"D.4 row 7: taken over", "Running", "Running", others, []string{source("vm"), target("vm", "Running", "")}, "Failed", ""},
		{"D.4 row 8: failed on the instance", "Running", "Running", broken, []string{source("vm"), target("vm", "Running", "")}, "Failed", ""},
		{"D.7: target pod terminating is not down yet", "Scheduling", "Running", nothing,
			[]string{source("vm"), target("vm", "Running", deleting)}, "Scheduling", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			docs := append([]string{vmi("vm", c.vmi, c.state), mig("vm", c.phase, "")}, c.pods...)
			if c.others != "" {
				docs = append(docs, c.others)
			}
			s := start(t, docs...)
			s.Engine.Advance(onePass)
			if got := phaseOf(s, "vm"); got != c.want {
				t.Errorf("want phase %q, found %q; steps: %v", c.want, got, s.Deeds())
			}
		})
	}
}

// otherMigration is one of the instance "vm", with the UID mig-other.
func otherMigration(phase string) string {
	return `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceMigration
metadata: {name: other, namespace: default, uid: mig-other, labels: {kubevirt.io/vmi-name: vm}, annotations: {kubevirt.io/latest-observed-api-version: v1},
  finalizers: [kubevirt.io/migrationJobFinalize]}
spec: {vmiName: vm}
status: {phase: ` + phase + `}
`
}

// TestSourcePodUnknown: kubevirt-behaviour K4; the state stays nil where the
// source pod is not in the cache.
func TestSourcePodUnknown(t *testing.T) {
	s := start(t, vmi("vm", "Running", ""), mig("vm", "", ""))
	s.Engine.Advance(onePass)
	if got := phaseOf(s, "vm"); got != facts.PhasePending {
		t.Errorf("want Pending, found %q", got)
	}
	if state := standin.Map(s.Object(facts.KindMigration, "default/vm"), "status", "migrationState"); state != nil {
		t.Errorf("want no migrationState, found %v", state)
	}
}
