package vmim

import (
	"cmp"
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// settleMigration is the handler of variant wake. It brings the VM's ports to what
// the migration, as it is now, needs.
func (c *Controller) settleMigration(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		c.log.Error(err, "not a key of a migration", "key", key)
		return nil
	}
	m, err := c.live.migration(ctx, namespace, name)
	if gone(err) {
		c.log.Info("the migration does not exist any more", "key", key)
		return nil
	}
	if err != nil {
		return err
	}
	if err := c.takeTurn(ctx); err != nil {
		return err
	}
	defer c.endTurn()
	vmi, err := c.vmiOrNil(ctx, m.Namespace, m.Spec.VMIName)
	if err != nil {
		return err
	}
	if m.IsFinal() {
		return c.settleEnded(ctx, m, vmi)
	}
	if !m.TargetIsCreated() {
		c.drop(m, reason("phase of migration %s is %q: ports are set up from Scheduling on", key, m.Status.Phase))
		return nil
	}
	return c.settleUnfinished(ctx, m, vmi)
}

// settleUnfinished sets the migration's options, unless the ports are another
// migration's. It takes nothing away.
func (c *Controller) settleUnfinished(ctx context.Context, m *kubevirtv1.VirtualMachineInstanceMigration, vmi *kubevirtv1.VirtualMachineInstance) error {
	route := c.plannedRoute(m, vmi)
	if missing := route.unknown(); missing != "" {
		return errors.New(missing)
	}
	if route.stays() {
		c.drop(m, reason("source and target node of migration %s are both %s", nameOf(m), route.source))
		return nil
	}
	if owner := c.owner(vmOfMigration(m), vmi, m); owner != nil && owner.UID != m.UID {
		c.drop(m, reason("the ports of VM %s are left to migration %s, which is not finished either", vmOfMigration(m), nameOf(owner)))
		return nil
	}
	return c.writeRoute(ctx, m, route, func(p LogicalSwitchPort) bool {
		return p.migrating(route.source, route.target)
	})
}

// settleEnded takes away what an ended migration left behind.
func (c *Controller) settleEnded(ctx context.Context, m *kubevirtv1.VirtualMachineInstanceMigration, vmi *kubevirtv1.VirtualMachineInstance) error {
	vm := vmOfMigration(m)
	if owner := c.owner(vm, vmi, m); owner != nil {
		c.drop(m, reason("migration %s is %s, but the ports of VM %s are needed by migration %s", nameOf(m), m.Status.Phase, vm, nameOf(owner)))
		return nil
	}
	return c.release(ctx, vm, nodeOf(vmi))
}

// settleVM is the second queue's handler of variant wake: a launcher pod, or a
// migration, of the VM was deleted.
func (c *Controller) settleVM(ctx context.Context, vm string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(vm)
	if err != nil {
		c.log.Error(err, "not a key of a VM", "key", vm)
		return nil
	}
	if err := c.takeTurn(ctx); err != nil {
		return err
	}
	defer c.endTurn()
	defer c.wakeUnfinished(vm)
	vmi, err := c.vmiOrNil(ctx, namespace, name)
	if err != nil {
		return err
	}
	// Setting up is left to the migration's own handler, which reads it live: the
	// cache may still have a migration as unfinished that has ended.
	if owner := c.owner(vm, vmi, nil); owner != nil {
		c.log.Info("the ports are needed by a migration, its options stay", "key", vm, "migration", nameOf(owner))
		return nil
	}
	node := nodeOf(vmi)
	if !c.hasLauncher(vm) {
		// The VMI may be behind: with its last pod, the VM has ended.
		node = ""
	}
	return c.release(ctx, vm, node)
}

// release leaves the VM's ports to one node, or to whichever comes, if node is
// empty. It writes only to ports that have options which say otherwise.
func (c *Controller) release(ctx context.Context, vm, node string) error {
	right, write := LogicalSwitchPort.clean, c.ovn.CleanMigrateOptions
	if node != "" {
		right = func(p LogicalSwitchPort) bool { return p.pinned(node) }
		write = func(ctx context.Context, port string) error { return c.ovn.ResetMigrateOptions(ctx, port, node) }
	}
	total, written, err := c.change(ctx, vm, right, func(port string) error { return write(ctx, port) })
	if err == nil {
		c.log.Info("no migration needs the ports", "key", vm, "chassis", node, "ports", total, "written", written)
	}
	return err
}

// owner returns the unfinished migration that the VM's ports belong to: one whose
// nodes are known and differ. If there are several, which KubeVirt allows only
// until one of them is handed over, it is the one in the VMI's migrationState, else
// the newest. live, if not nil, replaces its namesake of the cache.
func (c *Controller) owner(vm string, vmi *kubevirtv1.VirtualMachineInstance, live *kubevirtv1.VirtualMachineInstanceMigration) *kubevirtv1.VirtualMachineInstanceMigration {
	var owner *kubevirtv1.VirtualMachineInstanceMigration
	for _, m := range c.unfinished(vm, live) {
		if !c.plannedRoute(m, vmi).moves() {
			continue
		}
		if owns(m, vmi.Status.MigrationState) {
			return m
		}
		owner = m
	}
	return owner
}

// unfinished returns the VM's unfinished migrations, the newest last.
func (c *Controller) unfinished(vm string, live *kubevirtv1.VirtualMachineInstanceMigration) []*kubevirtv1.VirtualMachineInstanceMigration {
	all := indexed[*kubevirtv1.VirtualMachineInstanceMigration](c.migrations, byVM, vm)
	if live != nil {
		all = slices.DeleteFunc(all, func(m *kubevirtv1.VirtualMachineInstanceMigration) bool { return m.Name == live.Name })
		all = append(all, live)
	}
	all = slices.DeleteFunc(all, (*kubevirtv1.VirtualMachineInstanceMigration).IsFinal)
	slices.SortFunc(all, func(a, b *kubevirtv1.VirtualMachineInstanceMigration) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// plannedRoute is the route of a migration; its target is that of the VMI's
// migrationState, if that is of this migration: then it is decided which pod it is.
func (c *Controller) plannedRoute(m *kubevirtv1.VirtualMachineInstanceMigration, vmi *kubevirtv1.VirtualMachineInstance) route {
	r := routeOf(m, vmi, c.targetPod(m))
	if vmi == nil {
		return r
	}
	if state := vmi.Status.MigrationState; owns(m, state) && state.TargetNode != "" {
		r.target, r.noTarget = state.TargetNode, ""
	}
	return r
}

// targetPod returns the pod that the migration brings its VM to, or nil. Attachment
// pods, which have the migration's label too, are none; pods that are on their way
// out come last, and before them those without a node. virt-controller makes a second
// pod if it does not hear of the first one for long: of equals the oldest counts, so
// that a later pod takes nothing from one that waits for its network.
func (c *Controller) targetPod(m *kubevirtv1.VirtualMachineInstanceMigration) *corev1.Pod {
	var best *corev1.Pod
	for _, pod := range c.migrationPods(m) {
		if pod.Labels[kubevirtv1.AppLabel] == attachment {
			continue
		}
		if best == nil || rank(pod) > rank(best) ||
			rank(pod) == rank(best) && pod.CreationTimestamp.Before(&best.CreationTimestamp) {
			best = pod
		}
	}
	return best
}

func rank(pod *corev1.Pod) int {
	r := 0
	if pod.Labels[kubevirtv1.AppLabel] == launcher {
		r += 8
	}
	if !ended(pod) {
		r += 4
	}
	if pod.DeletionTimestamp == nil {
		r += 2
	}
	if pod.Spec.NodeName != "" {
		r++
	}
	return r
}

// hasLauncher says whether the cache has a pod in which the VM may run.
func (c *Controller) hasLauncher(vm string) bool {
	return slices.ContainsFunc(indexed[*corev1.Pod](c.pods, byVM, vm), func(pod *corev1.Pod) bool { return !ended(pod) })
}

// nodeOf returns the node on which the VM runs, or empty if it does not.
func nodeOf(vmi *kubevirtv1.VirtualMachineInstance) string {
	if vmi == nil || vmi.IsFinal() {
		return ""
	}
	return vmi.Status.NodeName
}

// vmiOrNil is a live read that takes an absent VMI for an answer.
func (c *Controller) vmiOrNil(ctx context.Context, namespace, name string) (*kubevirtv1.VirtualMachineInstance, error) {
	vmi, err := c.live.instance(ctx, namespace, name)
	if gone(err) {
		return nil, nil
	}
	return vmi, err
}

// takeTurn waits until the other worker does not decide about ports.
func (c *Controller) takeTurn(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Controller) endTurn() { <-c.turn }
