package virtcontroller

import (
	"slices"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller/cache"
)

// keepFinal is how many ended migrations of an instance are kept (D.3).
const keepFinal = 5

// finalize runs in the reconcile after the phase became final: it copies the
// instance's migrationState, if it is this migration's, and drops the finalizer
// (D.3, kubevirt-behaviour 0.5).
func (p *pass) finalize() {
	delete(p.handedOff, p.m.UID)
	content := standin.Edit(p.m.Content())
	copied := false
	if p.vmi.StateOf(p.m.UID) != nil {
		copied = p.copyState(content)
	}
	if copied {
		p.writes = append(p.writes, p.writeStatus(content))
	}
	if !p.m.HasFinalizer(facts.FinalizerMigration) {
		return
	}
	if copied {
		p.writes = append(p.writes, p.UpdateNext(p.m.Ref, "", dropFinalizer))
		return
	}
	dropFinalizer(content)
	p.writes = append(p.writes, p.Update(p.m.Ref, content, ""))
}

func (p *pass) copyState(content map[string]any) bool {
	state := standin.Map(p.vmi.Content(), "status", "migrationState")
	if standin.Equal(state, standin.Field(content, "status", "migrationState")) {
		return false
	}
	standin.Set(content, state, "status", "migrationState")
	return true
}

func dropFinalizer(content map[string]any) {
	list, _ := standin.Field(content, "metadata", "finalizers").([]any)
	kept := slices.DeleteFunc(slices.Clone(list), func(f any) bool { return f == facts.FinalizerMigration })
	if len(kept) == 0 {
		standin.Remove(content, "metadata", "finalizers")
		return
	}
	standin.Set(content, kept, "metadata", "finalizers")
}

// collectGarbage deletes the oldest ended migrations of the instance.
func (p *pass) collectGarbage() {
	var ended []*facts.Migration
	for _, m := range p.MigrationsOf(cache.InstanceKey(p.m)) {
		if m.Final() && !m.Deleting {
			ended = append(ended, m)
		}
	}
	if len(ended) <= keepFinal {
		return
	}
	sortByAge(ended)
	for _, m := range ended[:len(ended)-keepFinal] {
		p.writes = append(p.writes, p.Delete(m.Ref, m.UID, nil))
	}
}
