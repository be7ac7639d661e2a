package machine

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// start creates the instance from the template in hand: it forgets that a restart
// was required, keeps the template in a ControllerRevision, and creates
// (kubevirt-behaviour A.3).
func (p *pass) start(strategy string) standin.Plan {
	standin.RemoveCondition(p.content, conditionRestartRequired)
	writes, revision := p.revise()
	return standin.Plan{Writes: writes, Next: func(_ *apiserver.Object, failed error) standin.Plan {
		if failed != nil {
			return p.updateStatus(&syncError{failedCreate, fmt.Errorf("failure while starting VMI: %w", failed)})
		}
		return p.createInstance(strategy, revision)
	}}
}

func (p *pass) createInstance(strategy, revision string) standin.Plan {
	p.expected.ExpectCreations(p.key, 1, p.Gate.Elapsed())
	ref := engine.Ref{Kind: facts.KindVMI, Namespace: p.vm.Ref.Namespace, Name: p.vm.Ref.Name}
	return standin.Then(p.Create(ref, p.instance(strategy, revision)), func(_ *apiserver.Object, failed error) standin.Plan {
		if failed != nil {
			p.expected.CreationObserved(p.key)
			return p.updateStatus(&syncError{failedCreate, fmt.Errorf("failure while starting VMI: %w", failed)})
		}
		return p.afterRunStrategy()
	})
}

// instance is the instance to be created, as it is after KubeVirt's webhooks: they
// add their finalizer, the phase Pending (kubevirt-behaviour 0.5, C.1) and what
// the hypervisor may grow to.
func (p *pass) instance(strategy, revision string) map[string]any {
	template := standin.Map(p.content, "spec", "template")
	meta := map[string]any{}
	maps.Copy(meta, standin.Map(template, "metadata"))
	delete(meta, "generateName")
	delete(meta, "creationTimestamp")
	annotations := map[string]any{}
	maps.Copy(annotations, standin.Map(meta, "annotations"))
	annotations[facts.AnnotationGeneration] = strconv.FormatInt(generationOf(p.content), 10)
	if strategy == facts.RunWaitAsReceiver {
		annotations[facts.AnnotationReceiver] = "true"
	}
	meta["name"], meta["namespace"] = p.vm.Ref.Name, p.vm.Ref.Namespace
	meta["annotations"] = annotations
	meta["ownerReferences"] = []any{facts.ControllerRef("kubevirt.io/v1", &p.vm.Meta)}
	meta["finalizers"] = []any{facts.FinalizerVM, facts.FinalizerVMI}
	content := map[string]any{
		"apiVersion": "kubevirt.io/v1", "kind": facts.KindVMI, "metadata": meta,
		"spec":   maps.Clone(standin.Map(template, "spec")),
		"status": map[string]any{"virtualMachineRevisionName": revision},
	}
	facts.EnterPhase(content, facts.PhasePending, p.Gate.Wall())
	setLimits(content, !p.o.Stage)
	return content
}

// generationOf is a machine's metadata.generation.
func generationOf(content map[string]any) int64 {
	n, _ := standin.Int(content, "metadata", "generation")
	return n
}

// stop deletes the instance, unless that was done before, and forgets that a
// restart was required. v1.6.2 drops the revision of the start as well; that it
// cannot does not matter (kubevirt-behaviour A.3).
func (p *pass) stop(next func(*syncError) standin.Plan) standin.Plan {
	if p.vmi.Deleting {
		return next(nil)
	}
	key := p.vmi.Key()
	p.expected.ExpectDeletion(p.key, key, p.Gate.Elapsed())
	w := p.Delete(p.vmi.Ref, "", nil)
	w.Ignore = nil
	return standin.Then(w, func(_ *apiserver.Object, failed error) standin.Plan {
		if failed != nil {
			p.expected.DeletionObserved(p.key, key)
			return next(&syncError{failedDelete, fmt.Errorf("failure attempting to delete VMI: %w", failed)})
		}
		standin.RemoveCondition(p.content, conditionRestartRequired)
		var drop []standin.Write
		if !p.o.Head {
			drop = p.dropRevisions()
		}
		return standin.Plan{Writes: drop, Next: func(*apiserver.Object, error) standin.Plan { return next(nil) }}
	})
}
