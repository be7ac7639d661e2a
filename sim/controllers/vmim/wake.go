package vmim

import (
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// The events of variant wake that the other variants do not have.

// podUpdated wakes the pod's migration if one of the facts that settleMigration
// reads changed. A launcher pod's status is written often, and what the kubelet
// writes there is of no interest.
func (c *Controller) podUpdated(before, after any) {
	old, _ := before.(*corev1.Pod)
	pod, _ := after.(*corev1.Pod)
	if old == nil || pod == nil {
		return
	}
	if factsOf(old) == factsOf(pod) {
		return
	}
	c.wakeMigration(pod)
	if migrationUID(old) != migrationUID(pod) || old.UID != pod.UID {
		c.wakeMigration(old)
	}
	if old.UID != pod.UID {
		// A new list skipped the deletion of a pod and the creation of its namesake.
		c.podDeleted(old)
	}
}

// podFacts are what decisions are made from.
type podFacts struct {
	uid, migration, app, node string
	deleting, ended           bool
}

func factsOf(pod *corev1.Pod) podFacts {
	return podFacts{
		uid:       string(pod.UID),
		migration: migrationUID(pod),
		app:       pod.Labels[kubevirtv1.AppLabel],
		node:      pod.Spec.NodeName,
		deleting:  pod.DeletionTimestamp != nil,
		ended:     ended(pod),
	}
}

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// wakeMigration enqueues the migration that the pod was made for at once, however
// long its back-off has become. A migration that is not in the cache yet is
// enqueued by its own ADDED, and the pod is in the cache by then.
func (c *Controller) wakeMigration(obj any) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return
	}
	for _, m := range indexed[*kubevirtv1.VirtualMachineInstanceMigration](c.migrations, byUID, migrationUID(pod)) {
		c.wakeNow(m)
	}
}

// wakeNow enqueues a migration without back-off.
func (c *Controller) wakeNow(m *kubevirtv1.VirtualMachineInstanceMigration) {
	key := nameOf(m)
	c.migrationQueue.Forget(key)
	c.migrationQueue.Add(key)
}

// migrationEnded wakes the VM's other migrations, one of which may have waited for
// this one's end. Only the event does so: the cache has the end by then, so that
// none of them waits for it again. A handler that knew of the end from its live read
// would wake migrations that see the old cache, and that may have ended too: they
// would wake each other until the cache caught up.
func (c *Controller) migrationEnded(before, after any) {
	old, _ := before.(*kubevirtv1.VirtualMachineInstanceMigration)
	m, _ := after.(*kubevirtv1.VirtualMachineInstanceMigration)
	if old == nil || m == nil || old.IsFinal() || !m.IsFinal() {
		return
	}
	c.wakeUnfinished(vmOfMigration(m))
}

// wakeUnfinished enqueues the VM's unfinished migrations. No migration's handler may
// call it, or two of them could wake each other for ever.
func (c *Controller) wakeUnfinished(vm string) {
	for _, m := range c.unfinished(vm, nil) {
		c.wakeNow(m)
	}
}

// migrationDeleted has the VM's ports looked at after a migration: one that
// vanishes before it ends has no final phase that would do so.
func (c *Controller) migrationDeleted(obj any) {
	if m, ok := obj.(*kubevirtv1.VirtualMachineInstanceMigration); ok {
		c.podQueue.Add(vmOfMigration(m))
	}
}
