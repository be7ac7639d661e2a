// Package vmim is a controller of KubeVirt's VirtualMachineInstanceMigrations
// that tells OVN which two chassis may claim the ports of a VM while the VM moves.
// It decides what Kube-OVN v1.15.10 decides, from the same reads, woken by the
// same events, with the same queue and the same back-off; its variants are that
// code with patches.
//
// # What it reads and what wakes it
//
//   - Migrations: an informer wakes it (every ADDED; MODIFIED only if status.phase
//     changed or deletionTimestamp is set; DELETED never), but what it acts on is a
//     live GET, so that it may see a later phase than the one that woke it.
//   - VirtualMachineInstances: live GETs only.
//   - Pods: the informer's cache only. A pod event wakes no migration.
//   - Logical switch ports: through [OVN].
//
// One worker takes migrations from the queue AddOrUpdateVMIMigration. An error
// puts the key back after 5 ms, 10 ms and so on, doubling up to 1000 s; without an
// error the key is forgotten, whether or not anything was done. So an early return
// without an error drops the key until another event of that migration comes, and
// the log line of that return says what was read and which condition was false.
//
// A second worker takes the VMs whose launcher pods were deleted from the queue
// DeletePod, and removes the migration options from all of their ports.
//
// # Variants
//
//	variant            pod not in cache   node not known    woken by pods   sets up in phase
//	none               dropped            dropped           no              Scheduling
//	scheduling-retry   dropped            error, back-off   no              Scheduling
//	target-pod-retry   error, back-off    dropped           no              Scheduling
//	both               error, back-off    error, back-off   no              Scheduling
//	wake               error, back-off    error, back-off   yes             Scheduling and later
//
//	variant        migration ended                   launcher pod deleted
//	none … both    one chassis, if the VMI's         both options removed
//	               migrationState is of the          from every port
//	               migration; else left as it is
//	wake           one chassis, that of the VMI's    one chassis while the VM runs,
//	               nodeName; removed if the VM is    removed if it does not; nothing,
//	               gone; nothing while another       while a migration of the VM needs
//	               migration needs the ports         the ports
//
// The first four are what users run today: v1.15.10, the same with kube-ovn#6834,
// with cozystack's guard of the missing target pod, and with both.
//
// # The variant wake
//
// The back-off variants find out about a bound pod only at their next retry, which
// may be as far away as the pod took to be bound. They also lose a migration whose
// phase leaves Scheduling before the retry, one that has no status.migrationState,
// and one whose options were removed when an older pod of the VM was deleted. The
// variant wake is level-triggered instead. It polls nothing:
//
//   - a pod with the label kubevirt.io/migrationJobUID wakes its migration and
//     resets its back-off, if one of the facts that the handler reads changed;
//   - the handler compares the options of the ports with what they ought to be and
//     writes the difference, in every phase from Scheduling on;
//   - options are taken away only from ports that no unfinished migration needs;
//     the two workers take turns, so that neither acts on what the other is about
//     to change;
//   - who took options away when a pod or a migration was deleted wakes the unfinished
//     migrations of the VM, and so does the event of a migration's end. The handler of
//     migrations wakes none;
//   - of several target pods, the one that has a node counts, then the oldest; once
//     the VMI's migrationState is of the migration, the node that it names.
//
// Two things it does not do. A source node that becomes known late still waits for
// the back-off: that fact is in the VMI, and VMIs are not watched. And a migration
// in phase Pending is not set up, even if its pod is bound, so that one with
// hot-plugged volumes can still wait for itself (kubevirt-behaviour D.9).
//
// The package imports no other package of this module.
package vmim
