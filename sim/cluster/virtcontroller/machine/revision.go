package machine

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// startPrefix is what the names of a machine's start revisions begin with; its
// generation follows (kubevirt-behaviour A.3).
func startPrefix(vm *facts.VM) string { return "revision-start-vm-" + vm.UID }

// startRevisions are the revisions of starts that the cache has, by name.
func (p *pass) startRevisions() []*facts.Revision {
	var all []*facts.Revision
	for _, r := range p.RevisionsOf(p.vm) {
		if strings.HasPrefix(r.Ref.Name, startPrefix(p.vm)) {
			all = append(all, r)
		}
	}
	return all
}

// revise keeps the machine's spec for the start: older revisions go, and one of
// the present generation is created unless the cache has it. It returns its name.
func (p *pass) revise() (writes []standin.Write, name string) {
	generation := generationOf(p.content)
	name = startPrefix(p.vm) + "-" + strconv.FormatInt(generation, 10)
	if !p.o.Head {
		writes = p.dropRevisions()
	}
	present := false
	for _, r := range p.startRevisions() {
		switch {
		case r.Number == generation:
			present = true
		case p.o.Head:
			writes = append(writes, p.dropRevision(r))
		}
	}
	if present {
		return writes, name
	}
	return append(writes, p.Create(engine.Ref{Kind: facts.KindRevision, Namespace: p.vm.Ref.Namespace, Name: name}, map[string]any{
		"apiVersion": "apps/v1", "kind": facts.KindRevision,
		"metadata": map[string]any{
			"name": name, "namespace": p.vm.Ref.Namespace,
			"ownerReferences": []any{facts.ControllerRef("kubevirt.io/v1", &p.vm.Meta)},
		},
		"data":     map[string]any{"spec": standin.Field(p.content, "spec")},
		"revision": generation,
	})), name
}

func (p *pass) dropRevisions() []standin.Write {
	var writes []standin.Write
	for _, r := range p.startRevisions() {
		writes = append(writes, p.dropRevision(r))
	}
	return writes
}

func (p *pass) dropRevision(r *facts.Revision) standin.Write {
	w := p.Delete(r.Ref, "", nil)
	w.Ignore = nil
	return w
}

// startSpec is the machine's spec at its last start, as far as the cache knows;
// nil if it does not.
func (p *pass) startSpec() map[string]any {
	var last *facts.Revision
	for _, r := range p.startRevisions() {
		if last == nil || r.Number > last.Number {
			last = r
		}
	}
	if last == nil {
		return nil
	}
	return last.Spec
}

// bumpGeneration notes on the instance that the machine's new generation changes
// nothing for it: the template is that of the instance's start
// (kubevirt-behaviour A.2, A.8).
func (p *pass) bumpGeneration() standin.Plan {
	generation := strconv.FormatInt(generationOf(p.content), 10)
	if p.vmi == nil || p.vmi.Annotation(facts.AnnotationGeneration) == generation || !p.startedWithTemplate() {
		return p.runStrategy()
	}
	was := standin.Map(p.vmi.Content(), "metadata", "annotations")
	annotations := map[string]any{}
	maps.Copy(annotations, was)
	annotations[facts.AnnotationGeneration] = generation
	ops := []standin.Op{{Op: "test", Path: "/metadata/annotations", Value: was}, {Op: "replace", Path: "/metadata/annotations", Value: annotations}}
	return standin.Then(p.PatchJSON(p.vmi.Ref, ops, ""), func(patched *apiserver.Object, failed error) standin.Plan {
		if failed != nil {
			return standin.Plan{Err: fmt.Errorf("generation of the instance: %w", failed)}
		}
		p.vmi = facts.ReadVMI(patched)
		return p.runStrategy()
	})
}

// startedWithTemplate tells whether the revision that the instance names has the
// present template.
func (p *pass) startedWithTemplate() bool {
	name := standin.String(p.vmi.Content(), "status", "virtualMachineRevisionName")
	r := p.Revisions.Get(p.vmi.Sibling(name))
	return r != nil && standin.Equal(standin.Map(r.Spec, "template"), standin.Map(p.content, "spec", "template"))
}
