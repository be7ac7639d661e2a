package facts

import (
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// A Migration is what the stand-ins read of a VirtualMachineInstanceMigration.
type Migration struct {
	Meta
	Phase   string // "" until it is accepted
	VMIName string
}

// ReadMigration makes the facts of a migration.
func ReadMigration(r engine.Revision) *Migration {
	c := r.Content()
	return &Migration{
		Meta:    metaOf(r),
		Phase:   standin.String(c, "status", "phase"),
		VMIName: standin.String(c, "spec", "vmiName"),
	}
}

// Final tells whether the migration has ended.
func (m *Migration) Final() bool { return Final(m.Phase) }

// TargetCreated tells whether the migration is so far that a target pod must
// exist: from Scheduling on (D.4 row 5).
func (m *Migration) TargetCreated() bool {
	switch m.Phase {
	case PhaseScheduling, PhaseScheduled, PhasePreparingTarget, PhaseTargetReady, PhaseRunning:
		return true
	}
	return false
}

// HandedOver tells whether the phase says that virt-handler works on it: from
// PreparingTarget on (D.4 row 6).
func (m *Migration) HandedOver() bool {
	return m.Phase == PhasePreparingTarget || m.Phase == PhaseTargetReady || m.Phase == PhaseRunning
}
