// Package cache holds what virt-controller has seen of the cluster: one informer
// a kind, shared by its controllers, each as stale as its own watch
// (kubevirt-behaviour 0.2).
//
// It knows standin and facts.
package cache

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// A Cache is what the controllers read.
type Cache struct {
	VMs        *standin.View[facts.VM]
	VMIs       *standin.View[facts.VMI]
	Pods       *standin.View[facts.Pod]
	Migrations *standin.View[facts.Migration]
	Revisions  *standin.View[facts.Revision]
	Nodes      *standin.View[corev1.Node]
}

// Handlers are called after a change of the cache.
type Handlers struct {
	VM        func(standin.Event[facts.VM])
	VMI       func(standin.Event[facts.VMI])
	Pod       func(standin.Event[facts.Pod])
	Migration func(standin.Event[facts.Migration])
	Node      func(standin.Event[corev1.Node])
}

const (
	byInstance  = "instance"
	byOwner     = "owner"
	byMigration = "migration"
)

// Open starts the informers. It fails if the server does not serve a kind.
func (c *Cache) Open(s *standin.StandIn, h Handlers) (err error) {
	watch(s, &err, &c.Migrations, facts.KindMigration, "", facts.ReadMigration, h.Migration)
	watch(s, &err, &c.VMIs, facts.KindVMI, "", facts.ReadVMI, h.VMI)
	// The informer sees pods with this label only.
	watch(s, &err, &c.Pods, facts.KindPod, facts.LabelApp, facts.ReadPod, h.Pod)
	watch(s, &err, &c.VMs, facts.KindVM, "", facts.ReadVM, h.VM)
	watch(s, &err, &c.Revisions, facts.KindRevision, "", facts.ReadRevision, nil)
	watch(s, &err, &c.Nodes, facts.KindNode, "", apiserver.As[corev1.Node], h.Node)
	if err != nil {
		return err
	}
	c.Migrations.Index(byInstance, InstanceKey)
	c.Pods.Index(byOwner, (*facts.Pod).InstanceUID)
	c.Pods.Index(byMigration, func(p *facts.Pod) string { return p.Label(facts.LabelMigrationUID) })
	c.Revisions.Index(byOwner, func(r *facts.Revision) string { return r.OwnerUID })
	return nil
}

// watch opens one view, unless an earlier one failed.
func watch[T any](s *standin.StandIn, err *error, view **standin.View[T], kind, label string,
	read func(engine.Revision) *T, handle func(standin.Event[T])) {
	if *err == nil {
		*view, *err = standin.Watch(s, kind, apiserver.WatchOptions{LabelSelector: label}, read, handle)
	}
}

// InstanceKey is the key of the instance that a migration moves.
func InstanceKey(m *facts.Migration) string { return m.Sibling(m.VMIName) }

// MigrationsOf are the migrations of an instance, given by its key.
func (c *Cache) MigrationsOf(instance string) []*facts.Migration {
	return c.Migrations.By(byInstance, instance)
}

// PodsOf are all pods that an instance owns, ended ones included.
func (c *Cache) PodsOf(vmi *facts.VMI) []*facts.Pod { return c.Pods.By(byOwner, vmi.UID) }

// RevisionsOf are the ControllerRevisions of a virtual machine.
func (c *Cache) RevisionsOf(vm *facts.VM) []*facts.Revision { return c.Revisions.By(byOwner, vm.UID) }

// TargetOf finds the target pod of a migration (kubevirt-behaviour D.2); nil if
// there is none.
func (c *Cache) TargetOf(m *facts.Migration, vmi *facts.VMI) *facts.Pod {
	for _, p := range c.Pods.By(byMigration, m.UID) {
		if p.Label(facts.LabelCreatedBy) == vmi.UID && p.Label(facts.LabelApp) == facts.Launcher {
			return p
		}
	}
	return nil
}

// CurrentPod is the pod in which an instance runs: the newest owned one on its
// node, or the newest of all while it has no node (kubevirt-behaviour C.2).
func (c *Cache) CurrentPod(vmi *facts.VMI) *facts.Pod {
	var newest *facts.Pod
	for _, p := range c.PodsOf(vmi) {
		if vmi.NodeName != "" && p.NodeName != vmi.NodeName {
			continue
		}
		if newest == nil || p.Created.After(newest.Created) {
			newest = p
		}
	}
	return newest
}

// InstanceOf is the instance that a pod belongs to, if it was seen.
func (c *Cache) InstanceOf(pod *facts.Pod) *facts.VMI {
	name := pod.Label(facts.LabelVMName)
	if name == "" {
		name = pod.Annotation(facts.AnnotationDomain)
	}
	vmi := c.VMIs.Get(pod.Sibling(name))
	if vmi == nil || vmi.UID != pod.InstanceUID() {
		return nil
	}
	return vmi
}

// OwnerVM is the virtual machine that owns an instance, if it was seen.
func (c *Cache) OwnerVM(vmi *facts.VMI) *facts.VM {
	if vmi.Owner.Kind != facts.KindVM {
		return nil
	}
	vm := c.VMs.Get(vmi.Sibling(vmi.Owner.Name))
	if vm == nil || vm.UID != vmi.Owner.UID {
		return nil
	}
	return vm
}
