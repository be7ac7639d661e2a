package facts

import (
	"errors"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// A VM is what the stand-ins read of a VirtualMachine of KubeVirt.
type VM struct {
	Meta
	Generation int64
}

// ReadVM makes the facts of a virtual machine.
func ReadVM(r engine.Revision) *VM {
	generation, _ := standin.Int(r.Content(), "metadata", "generation")
	return &VM{Meta: metaOf(r), Generation: generation}
}

// RunStrategy is how a virtual machine wants to be run (kubevirt-behaviour A.1):
// spec.runStrategy, or spec.running in its place. It fails if both are there.
func RunStrategy(vm map[string]any) (string, error) {
	strategy := standin.String(vm, "spec", "runStrategy")
	running, old := standin.Field(vm, "spec", "running").(bool)
	switch {
	case old && strategy != "":
		return "", errors.New("running and runStrategy are mutually exclusive")
	case old && running:
		return RunAlways, nil
	case old:
		return RunHalted, nil
	}
	return strategy, nil
}

// A StateChange is one of status.stateChangeRequests.
type StateChange struct {
	Action string // ActionStart, ActionStop
	UID    string // of the instance to stop
}

// StateChanges are the requests of a virtual machine, the next one first.
func StateChanges(vm map[string]any) []StateChange {
	var all []StateChange
	for _, r := range standin.Items(vm, "status", "stateChangeRequests") {
		all = append(all, StateChange{Action: standin.String(r, "action"), UID: standin.String(r, "uid")})
	}
	return all
}

// A Revision is what is read of a ControllerRevision: the spec of a virtual
// machine at its start.
type Revision struct {
	Meta
	OwnerUID string
	Number   int64
	Spec     map[string]any // of the virtual machine
}

// ReadRevision makes the facts of a ControllerRevision.
func ReadRevision(r engine.Revision) *Revision {
	c := r.Content()
	number, _ := standin.Int(c, "revision")
	return &Revision{Meta: metaOf(r), OwnerUID: OwnerOf(c).UID, Number: number, Spec: standin.Map(c, "data", "spec")}
}
