package facts

import (
	"slices"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// A VMI is what the stand-ins read of a VirtualMachineInstance.
type VMI struct {
	Meta
	Phase    string // "" until the first write of KubeVirt
	NodeName string
	Owner    Owner // the virtual machine
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
		Owner:    OwnerOf(c),
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

// Unprocessed tells whether no pod was created yet, as far as the phase says.
func (v *VMI) Unprocessed() bool { return v.Phase == "" || v.Phase == PhasePending }

// Migrating tells whether the domain is being moved (kubevirt-behaviour A.6 row 3).
func (v *VMI) Migrating() bool { return v.State != nil && v.State.Started && !v.State.Ended }

// defaultGrace is how many seconds a guest has to shut down where its instance
// does not say.
const defaultGrace = 30

// GracePeriod is how many seconds the guest has to shut down.
func (v *VMI) GracePeriod() int64 {
	if grace, ok := standin.Int(v.Content(), "spec", "terminationGracePeriodSeconds"); ok {
		return grace
	}
	return defaultGrace
}

// Condition is one of the instance's conditions; nil if it has none of the type.
func (v *VMI) Condition(kind string) map[string]any { return standin.Condition(v.Content(), kind) }

// Has tells whether the instance has a condition with that status.
func (v *VMI) Has(kind, status string) bool {
	return standin.String(v.Condition(kind), "status") == status
}

// EnterPhase sets the phase of an instance, or of a migration, and when that was.
func EnterPhase(content map[string]any, phase string, now time.Time) {
	if standin.String(content, "status", "phase") == phase {
		return
	}
	list, _ := standin.Field(content, "status", "phaseTransitionTimestamps").([]any)
	entered := map[string]any{"phase": phase, "phaseTransitionTimestamp": standin.Timestamp(now)}
	standin.Set(content, append(slices.Clone(list), entered), "status", "phaseTransitionTimestamps")
	standin.Set(content, phase, "status", "phase")
}

// StateOf is the migration state if it belongs to the migration of that UID;
// else nil.
func (v *VMI) StateOf(uid string) *MigrationState {
	if v.State == nil || v.State.UID != uid {
		return nil
	}
	return v.State
}
