package virtcontroller

import (
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller/launcher"
)

// createTarget creates the target pod from the instance's present spec (C.3, D.3).
func (p *pass) createTarget(source *facts.Pod) {
	w := p.targetPod(source).Create(p.StandIn)
	key := p.key
	p.creations.ExpectCreations(key, 1, p.Gate.Elapsed())
	w.Then = func(err error) {
		if err != nil {
			p.creations.CreationObserved(key)
		}
	}
	p.do(w)
}

// targetPod is a launcher like the source, which stays off the source's host.
// The migration's added selector loses where the instance has the same key.
func (p *pass) targetPod(source *facts.Pod) *launcher.Template {
	container, image := facts.Compute, ""
	for _, c := range standin.Items(source.Content(), "spec", "containers") {
		if name := standin.String(c, "name"); facts.IsCompute(name) {
			container, image = name, standin.String(c, "image")
		}
	}
	t := launcher.Render(p.vmi, container, image)
	t.Labels[facts.LabelMigrationUID] = p.m.UID
	t.Annotations[facts.AnnotationMigrationName] = p.m.Ref.Name
	selector := standin.Map(t.Spec, "nodeSelector")
	for key, value := range standin.Map(p.m.Content(), "spec", "addedNodeSelector") {
		if _, taken := selector[key]; !taken {
			selector[key] = value
		}
	}
	t.Avoid()
	return t
}
