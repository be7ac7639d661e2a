package instance

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// A pass is one reconcile of one instance, with what it read at its start.
type pass struct {
	*Controller
	key string
	vmi *facts.VMI
	// pod is the current pod; after its creation the one that was just created.
	pod *facts.Pod
}

// A syncError is a failure that the instance's condition Synchronized shows.
type syncError struct {
	reason string
	error
}

func (c *Controller) reconcile(key string) standin.Plan {
	vmi := c.VMIs.Get(key)
	if vmi == nil {
		delete(c.pods, key)
		delete(c.own, key)
		return standin.Plan{}
	}
	p := &pass{Controller: c, key: key, vmi: vmi}
	if vmi.Annotation(facts.AnnotationObservedVersion) != facts.ObservedVersion {
		content := standin.Edit(vmi.Content())
		standin.Set(content, facts.ObservedVersion, "metadata", "annotations", facts.AnnotationObservedVersion)
		return standin.Plan{Writes: []standin.Write{p.update(content)}}
	}
	now := c.Gate.Elapsed()
	if !c.pods.Satisfied(key, now) || !c.own.Satisfied(key, now) {
		if c.o.Requeue {
			c.queue.AddAfter(key, standin.ExpectationTimeout, "expectations expire after "+standin.ExpectationTimeout.String())
		}
		return standin.Plan{}
	}
	p.pod = c.CurrentPod(vmi)
	return p.sync()
}

// update writes the instance as a whole, and expects the event of that.
func (p *pass) update(content map[string]any) standin.Write {
	w := p.Update(p.vmi.Ref, content, "")
	p.own.ExpectCreations(p.key, 1, p.Gate.Elapsed())
	w.Then = func(err error) {
		if err != nil {
			delete(p.own, p.key)
		}
	}
	return w
}

// finish ends the pass: the status, and then the key comes back if the sync
// failed.
func (p *pass) finish(failure *syncError) standin.Plan {
	plan := standin.Plan{}
	if p.pod != nil && gateClosed(p.pod) {
		plan.Writes = append(plan.Writes, p.PatchLive(p.pod.Ref, p.pod.UID, standin.Status, p.openGate))
	}
	if w, ok := p.labelPod(); ok {
		plan.Writes = append(plan.Writes, w)
	}
	plan.Next = func(_ *apiserver.Object, failed error) standin.Plan {
		if failed != nil {
			return standin.Plan{Err: failed}
		}
		return p.writeStatus(failure)
	}
	return plan
}

func (p *pass) now() time.Time { return p.Gate.Wall() }
