package virtcontroller

import (
	"maps"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// handOff tells virt-handler of a migration: the first write of the instance's
// migrationState for it, and the label that the target's virt-handler looks for
// (D.3).
func (p *pass) handOff() {
	if p.isHandedOff() {
		return
	}
	state := map[string]any{
		"migrationUid": p.m.UID,
		"sourceNode":   p.vmi.NodeName,
		"targetNode":   p.target.NodeName,
		"targetPod":    p.target.Ref.Name,
		"migrationConfiguration": map[string]any{
			"completionTimeoutPerGiB":           int64(150),
			"progressTimeout":                   int64(150),
			"parallelMigrationsPerCluster":      int64(p.o.PerCluster),
			"parallelOutboundMigrationsPerNode": int64(p.o.PerNode),
		},
	}
	if source := p.CurrentPod(p.vmi); source != nil {
		state["sourcePod"] = source.Ref.Name
	}
	labels := map[string]any{}
	maps.Copy(labels, standin.Map(p.vmi.Content(), "metadata", "labels"))
	labels[facts.LabelTargetNodeName] = p.target.NodeName
	uid := p.m.UID
	p.handedOff[uid] = true
	ops := append(p.replaceState(state), p.replaceLabels(labels)...)
	p.patchInstance(ops, func(err error) {
		if err != nil {
			delete(p.handedOff, uid)
		}
	})
}

// patchState changes fields of the instance's migrationState.
func (p *pass) patchState(change func(state map[string]any), then func(error)) {
	state := map[string]any{}
	maps.Copy(state, standin.Map(p.vmi.Content(), "status", "migrationState"))
	change(state)
	p.patchInstance(p.replaceState(state), then)
}

// patchInstance writes the instance by JSON patch: it tests what it replaces, so
// it fails only if somebody else changed the same fields (kubevirt-behaviour 0.4).
func (p *pass) patchInstance(ops []standin.Op, then func(error)) {
	w := p.PatchJSON(p.vmi.Ref, ops, "")
	w.Then = then
	p.do(w)
}

func (p *pass) replaceState(state map[string]any) []standin.Op {
	return standin.Replace("/status/migrationState", standin.Field(p.vmi.Content(), "status", "migrationState"), state)
}

func (p *pass) replaceLabels(labels map[string]any) []standin.Op {
	return standin.Replace("/metadata/labels", standin.Field(p.vmi.Content(), "metadata", "labels"), labels)
}
