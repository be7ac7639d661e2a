package virtcontroller

import (
	"slices"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller/cache"
)

// A pass is one reconcile of one migration, with what it read at its start.
type pass struct {
	*Controller
	key string
	m   *facts.Migration
	vmi *facts.VMI
	// target is the target pod as listed before anything was done (D.2); nil if
	// the cache has none.
	target *facts.Pod
	writes []standin.Write
}

func (c *Controller) reconcile(key string) standin.Plan {
	m := c.Migrations.Get(key)
	if m == nil {
		delete(c.creations, key)
		return standin.Plan{}
	}
	if w, ok := c.admit(m); ok {
		return standin.Plan{Writes: []standin.Write{w}}
	}
	p := &pass{Controller: c, key: key, m: m, vmi: c.VMIs.Get(cache.InstanceKey(m))}
	if p.vmi == nil {
		return p.withoutInstance()
	}
	p.target = c.TargetOf(m, p.vmi)
	var err error
	if c.creations.Satisfied(key, c.Gate.Elapsed()) {
		err = p.sync()
	} else {
		// A lost event would otherwise be waited for until something else happens.
		c.queue.AddAfter(key, standin.ExpectationTimeout, "expectations expire after "+standin.ExpectationTimeout.String())
	}
	p.updateStatus()
	if err == nil && !m.Deleting {
		p.collectGarbage()
	}
	return standin.Plan{Writes: p.writes, Err: err}
}

// admit writes what a migration must have from the start: the annotation of the
// first reconcile (kubevirt-behaviour 0.4) and, where it was created without
// KubeVirt's webhooks, the label and the finalizer that they add (D.1). A real
// cluster has the latter two before anybody sees the object.
func (c *Controller) admit(m *facts.Migration) (standin.Write, bool) {
	finalizer := m.Final() || m.Deleting || m.HasFinalizer(facts.FinalizerMigration)
	if m.Annotation(facts.AnnotationObservedVersion) == facts.ObservedVersion && m.Label(facts.LabelVMIName) != "" && finalizer {
		return standin.Write{}, false
	}
	content := standin.Edit(m.Content())
	standin.Set(content, facts.ObservedVersion, "metadata", "annotations", facts.AnnotationObservedVersion)
	standin.Set(content, m.VMIName, "metadata", "labels", facts.LabelVMIName)
	if !finalizer {
		list, _ := standin.Field(content, "metadata", "finalizers").([]any)
		standin.Set(content, append(slices.Clone(list), facts.FinalizerMigration), "metadata", "finalizers")
	}
	return c.Update(m.Ref, content, ""), true
}

// withoutInstance deletes the migration of an instance that is gone. If it is
// being deleted already, nothing happens, and its finalizer stays (D.4 row 1).
func (p *pass) withoutInstance() standin.Plan {
	if p.m.Deleting {
		return standin.Plan{}
	}
	return standin.Plan{Writes: []standin.Write{p.Delete(p.m.Ref, p.m.UID, nil)}}
}

// isHandedOff tells whether virt-handler works on the migration.
func (p *pass) isHandedOff() bool {
	return p.handedOff[p.m.UID] || p.vmi.StateOf(p.m.UID) != nil
}

// canMigrate tells whether no other migration of the instance is under way: its
// migrationState is absent, this migration's own, or that of one that is final or
// gone (D.3).
func (p *pass) canMigrate() bool {
	s := p.vmi.State
	if s == nil || s.UID == "" || s.UID == p.m.UID {
		return true
	}
	for _, other := range p.MigrationsOf(cache.InstanceKey(p.m)) {
		if other.UID == s.UID {
			return other.Final()
		}
	}
	return true
}
