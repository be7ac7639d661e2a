package vmim

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// handleMigration is the handler of all variants but wake: it acts on the phase
// that the migration has now, which may be a later one than that of the event. A
// nil error drops the key, whatever was found.
func (c *Controller) handleMigration(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		c.log.Error(err, "not a key of a migration", "key", key)
		return nil
	}
	m, err := c.live.migration(ctx, namespace, name)
	if err != nil {
		return err
	}
	if m.Status.MigrationState == nil {
		c.drop(m, reason("status.migrationState of migration %s is not set (phase %q)", key, m.Status.Phase))
		return nil
	}
	vmi, err := c.live.instance(ctx, m.Namespace, m.Spec.VMIName)
	if err != nil {
		return err
	}
	switch m.Status.Phase {
	case kubevirtv1.MigrationScheduling:
		return c.setUp(ctx, m, vmi)
	case kubevirtv1.MigrationSucceeded, kubevirtv1.MigrationFailed:
		return c.finish(ctx, m, vmi)
	}
	c.drop(m, reason("phase of migration %s is %q: only Scheduling, Succeeded and Failed change ports", key, m.Status.Phase))
	return nil
}

// setUp lets both nodes of the migration claim the VM's ports.
func (c *Controller) setUp(ctx context.Context, m *kubevirtv1.VirtualMachineInstanceMigration, vmi *kubevirtv1.VirtualMachineInstance) error {
	pods := c.migrationPods(m)
	if len(pods) == 0 {
		return c.retryOrDrop(m, c.variant.retriesPod(), noPod(m))
	}
	// The first pod, whichever it is: the upstream handler does not look for the
	// launcher among the attachment pods of hot-plugged volumes.
	route := routeOf(m, vmi, pods[0])
	if missing := route.unknown(); missing != "" {
		return c.retryOrDrop(m, c.variant.retriesNode(), missing)
	}
	if route.stays() {
		c.drop(m, reason("source and target node of migration %s are both %s", nameOf(m), route.source))
		return nil
	}
	return c.writeRoute(ctx, m, route, always)
}

// writeRoute sets the migration options of those of the VM's ports that are not
// right already.
func (c *Controller) writeRoute(ctx context.Context, m *kubevirtv1.VirtualMachineInstanceMigration, r route, right func(LogicalSwitchPort) bool) error {
	vm := vmOfMigration(m)
	total, written, err := c.change(ctx, vm, right, func(port string) error {
		return c.ovn.SetMigrateOptions(ctx, port, r.source, r.target)
	})
	switch {
	case err != nil:
		return err
	case total == 0:
		c.drop(m, noPorts(vm))
	default:
		c.log.Info("migration options are set", "key", nameOf(m), "source", r.source, "target", r.target, "ports", total, "written", written)
	}
	return nil
}

// finish leaves the VM's ports to the node on which the migration left the VM.
func (c *Controller) finish(ctx context.Context, m *kubevirtv1.VirtualMachineInstanceMigration, vmi *kubevirtv1.VirtualMachineInstance) error {
	state := vmi.Status.MigrationState
	if !owns(m, state) {
		c.drop(m, reason("migration %s is %s, but %s", nameOf(m), m.Status.Phase, stateOfOther(m, vmi)))
		return nil
	}
	chassis, field := state.TargetNode, "targetNode"
	if m.Status.Phase == kubevirtv1.MigrationFailed {
		chassis, field = state.SourceNode, "sourceNode"
	}
	if chassis == "" {
		c.drop(m, reason("migration %s is %s, but status.migrationState.%s of VMI %s is empty", nameOf(m), m.Status.Phase, field, vmOfMigration(m)))
		return nil
	}
	vm := vmOfMigration(m)
	total, _, err := c.change(ctx, vm, always, func(port string) error {
		return c.ovn.ResetMigrateOptions(ctx, port, chassis)
	})
	switch {
	case err != nil:
		return err
	case total == 0:
		c.drop(m, noPorts(vm))
	default:
		c.log.Info("migration options are reset", "key", nameOf(m), "phase", m.Status.Phase, "chassis", chassis, "ports", total)
	}
	return nil
}

// retryOrDrop returns the reason as an error if the variant retries in this case.
func (c *Controller) retryOrDrop(m *kubevirtv1.VirtualMachineInstanceMigration, retry bool, reason string) error {
	if retry {
		return errors.New(reason)
	}
	c.drop(m, reason)
	return nil
}

// drop explains an early return without an error.
func (c *Controller) drop(m *kubevirtv1.VirtualMachineInstanceMigration, reason string) {
	c.log.Info(reason, "key", nameOf(m), "vm", vmOfMigration(m), "phase", m.Status.Phase)
}

// cleanPorts is the second queue's handler, of all variants but wake: when any
// launcher pod of the VM was deleted it removes the options from all of its ports,
// even if the pod was none of a migration that goes on (kubevirt-behaviour K6).
func (c *Controller) cleanPorts(ctx context.Context, vm string) error {
	total, _, err := c.change(ctx, vm, always, func(port string) error {
		return c.ovn.CleanMigrateOptions(ctx, port)
	})
	if err == nil {
		c.log.Info("a launcher pod was deleted, migration options are removed", "key", vm, "ports", total)
	}
	return err
}

// gone says whether err is the API server's answer that there is no such object.
func gone(err error) bool { return apierrors.IsNotFound(err) }
