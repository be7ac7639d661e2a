package machine

import (
	"testing"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
)

// vmiWith is an instance with the UID vmi-1: meta and status are further YAML.
func vmiWith(t *testing.T, meta, status string) *facts.VMI {
	t.Helper()
	s := stage.New(t)
	s.Load(`
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: vm, namespace: default, uid: vmi-1` + meta + `}
spec: {domain: {devices: {}}}
status: {` + status + `}
`)
	return facts.ReadVMI(s.API.List(facts.KindVMI, "default")[0])
}

const deleting = `, finalizers: [x/y], deletionTimestamp: "2030-01-01T00:00:00Z"`

// TestDecide: kubevirt-behaviour A.3, cell by cell.
func TestDecide(t *testing.T) {
	absent := (*facts.VMI)(nil)
	running := vmiWith(t, "", "phase: Running")
	failed := vmiWith(t, "", "phase: Failed")
	succeeded := vmiWith(t, "", "phase: Succeeded")
	going := vmiWith(t, deleting, "phase: Failed")
	receiver := vmiWith(t, `, annotations: {kubevirt.io/create-migration-target: "true"}`, "phase: WaitingForSync")
	startIt := &facts.StateChange{Action: "Start"}
	stopIt := &facts.StateChange{Action: "Stop", UID: "vmi-1"}
	stopOther := &facts.StateChange{Action: "Stop", UID: "vmi-0"}
	for _, c := range []struct {
		name     string
		strategy string
		last     string // strategy in the status
		vmi      *facts.VMI
		next     *facts.StateChange
		want     action
	}{
		{"Always, absent: start once the back-off is over", "Always", "Always", absent, nil, startGated},
		{"Always, running", "Always", "Always", running, nil, nothing},
		{"Always, Failed", "Always", "Always", failed, nil, stop},
		{"Always, Succeeded", "Always", "Always", succeeded, nil, stop},
		{"Always, stop request", "Always", "Always", running, stopIt, stop},
		{"Always, stop request for another instance", "Always", "Always", running, stopOther, nothing},
		{"RerunOnFailure, absent, first run", "RerunOnFailure", "", absent, nil, startGated},
		{"RerunOnFailure, absent, from another strategy", "RerunOnFailure", "Halted", absent, nil, startGated},
		{"RerunOnFailure, absent, start request", "RerunOnFailure", "RerunOnFailure", absent, startIt, startGated},
		{"RerunOnFailure, absent", "RerunOnFailure", "RerunOnFailure", absent, nil, nothing},
		{"RerunOnFailure, running", "RerunOnFailure", "RerunOnFailure", running, nil, nothing},
		{"RerunOnFailure, Failed: and a start request", "RerunOnFailure", "RerunOnFailure", failed, nil, stopAndStart},
		{"RerunOnFailure, Failed and deleted: no start request", "RerunOnFailure", "RerunOnFailure", going, nil, nothing},
		{"RerunOnFailure, Succeeded: stays stopped", "RerunOnFailure", "RerunOnFailure", succeeded, nil, stop},
		{"RerunOnFailure, stop request", "RerunOnFailure", "RerunOnFailure", running, stopIt, stop},
		{"Manual, absent", "Manual", "Manual", absent, nil, nothing},
		{"Manual, absent, start request: no back-off", "Manual", "Manual", absent, startIt, start},
		{"Manual, absent, stop request first", "Manual", "Manual", absent, stopIt, nothing},
		{"Manual, running", "Manual", "Manual", running, nil, nothing},
		{"Manual, Failed: stays", "Manual", "Manual", failed, nil, nothing},
		{"Manual, Succeeded: stays", "Manual", "Manual", succeeded, nil, nothing},
		{"Manual, start request while one runs", "Manual", "Manual", running, startIt, nothing},
		{"Manual, stop request", "Manual", "Manual", failed, stopIt, stop},
		{"Halted, absent", "Halted", "Halted", absent, nil, nothing},
		{"Halted, absent, start request: the strategy becomes Always", "Halted", "Halted", absent, startIt, unhalt},
		{"Halted, running", "Halted", "Halted", running, nil, stop},
		{"Halted, Failed", "Halted", "Halted", failed, nil, stop},
		{"Halted, Succeeded", "Halted", "Halted", succeeded, nil, stop},
		{"Once, absent: no back-off", "Once", "", absent, nil, start},
		{"Once, running", "Once", "Once", running, nil, nothing},
		{"Once, Failed: stays", "Once", "Once", failed, nil, nothing},
		{"Once, Succeeded", "Once", "Once", succeeded, nil, nothing},
		// The table says that a stop request stops it; the code of no version does.
		{"Once, stop request: not looked at", "Once", "Once", running, stopIt, nothing},
		{"WaitAsReceiver, absent", "WaitAsReceiver", "", absent, nil, start},
		{"WaitAsReceiver, waiting", "WaitAsReceiver", "WaitAsReceiver", receiver, nil, nothing},
		{"WaitAsReceiver, an instance that does not wait", "WaitAsReceiver", "WaitAsReceiver", running, nil, notAReceiver},
		{"no strategy", "", "", absent, nil, unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decide(c.strategy, c.last, c.vmi, c.next); got != c.want {
				t.Errorf("want action %d, found %d", c.want, got)
			}
		})
	}
}

// TestTrims: kubevirt-behaviour A.4.
func TestTrims(t *testing.T) {
	running := vmiWith(t, "", "phase: Running")
	for _, c := range []struct {
		name string
		next facts.StateChange
		vmi  *facts.VMI
		want bool
	}{
		{"Stop, no instance", facts.StateChange{Action: "Stop", UID: "vmi-1"}, nil, true},
		{"Stop, this instance", facts.StateChange{Action: "Stop", UID: "vmi-1"}, running, false},
		{"Stop, another instance", facts.StateChange{Action: "Stop", UID: "vmi-0"}, running, true},
		{"Stop without a UID", facts.StateChange{Action: "Stop"}, running, true},
		{"Start, no instance", facts.StateChange{Action: "Start"}, nil, false},
		{"Start, an instance", facts.StateChange{Action: "Start"}, running, true},
		{"Start, an instance in deletion", facts.StateChange{Action: "Start"}, vmiWith(t, deleting, "phase: Scheduling"), false},
		{"Start, an ended instance", facts.StateChange{Action: "Start"}, vmiWith(t, "", "phase: Failed"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := trims(c.next, c.vmi); got != c.want {
				t.Errorf("want trimmed=%v, found %v", c.want, got)
			}
		})
	}
}
