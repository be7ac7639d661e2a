package facts

import (
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// A VMI is what the stand-ins read of a VirtualMachineInstance.
type VMI struct {
	Meta
	Phase    string
	NodeName string
	// State is status.migrationState; nil if there is none.
	State *MigrationState
}

// A MigrationState is status.migrationState, of the last migration or of the one
// under way.
type MigrationState struct {
	UID                    string
	SourceNode, TargetNode string
	SourcePod, TargetPod   string
	TargetAddress          string
	Started, Ended         bool
	TargetDetected         bool
	TargetReady            bool // targetNodeDomainReadyTimestamp is set
	Completed, Failed      bool
	AbortRequested         bool
}

// ReadVMI makes the facts of an instance.
func ReadVMI(r engine.Revision) *VMI {
	c := r.Content()
	return &VMI{
		Meta:     metaOf(r),
		Phase:    standin.String(c, "status", "phase"),
		NodeName: standin.String(c, "status", "nodeName"),
		State:    readState(standin.Map(c, "status", "migrationState")),
	}
}

func readState(m map[string]any) *MigrationState {
	if m == nil {
		return nil
	}
	return &MigrationState{
		UID:            standin.String(m, "migrationUid"),
		SourceNode:     standin.String(m, "sourceNode"),
		TargetNode:     standin.String(m, "targetNode"),
		SourcePod:      standin.String(m, "sourcePod"),
		TargetPod:      standin.String(m, "targetPod"),
		TargetAddress:  standin.String(m, "targetNodeAddress"),
		Started:        standin.String(m, "startTimestamp") != "",
		Ended:          standin.String(m, "endTimestamp") != "",
		TargetDetected: standin.Bool(m, "targetNodeDomainDetected"),
		TargetReady:    standin.String(m, "targetNodeDomainReadyTimestamp") != "",
		Completed:      standin.Bool(m, "completed"),
		Failed:         standin.Bool(m, "failed"),
		AbortRequested: standin.Bool(m, "abortRequested"),
	}
}

// Final tells whether the instance has ended.
func (v *VMI) Final() bool { return Final(v.Phase) }

// StateOf is the migration state if it belongs to the migration of that UID;
// else nil.
func (v *VMI) StateOf(uid string) *MigrationState {
	if v.State == nil || v.State.UID != uid {
		return nil
	}
	return v.State
}
