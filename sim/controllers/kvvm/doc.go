// Package kvvm is a controller that makes KubeVirt's VMs of Deckhouse's
// VirtualMachines. It decides about placement and power what Deckhouse's own VM
// controller decides, from the same caches, woken by the same events, with the same
// queue and back-off, and with the same weaknesses; its variants are that code with
// patches. Disks, networks, migrations and everything else are left out.
//
// # Words
//
// The VM is Deckhouse's VirtualMachine. The KVVM is KubeVirt's VirtualMachine that
// is made of it, the KVVMI the instance that KubeVirt makes of the KVVM, and the pod
// the launcher pod that KubeVirt makes of the KVVMI. All but the pod have one name.
//
// # What it reads and what wakes it
//
// All reads come from informers' caches, which know nothing of each other, and are
// repeated within a pass; all writes go to the API server at once.
//
//   - VM: every event.
//   - KVVM, through its controlling owner: created, deleted; printable status, ready,
//     status or reason of the condition Synchronized, the annotations that ask for a
//     start or a restart.
//   - KVVMI, of the same name: created, deleted; any difference of spec or status. Not
//     its deletionTimestamp.
//   - Pod, by its label vm.kubevirt.io/name: created, deleted; phase, network status.
//     Not its conditions, its node, or its deletionTimestamp.
//   - VirtualMachineClass: created; node selector, tolerations.
//   - Nodes: nothing.
//
// One worker takes VMs from a priority queue. A pass runs these handlers in this
// order, then writes status and finalizers of the VM. A handler that fails does not
// stop the next; all errors together put the VM back after 5 ms, 10 ms and so on up to
// 1000 s. A conflict is no error: it puts the VM back after 100 µs.
//
//   - Deletion: finalizer of the VM; deletes the KVVM with it.
//   - Class: condition VirtualMachineClassReady.
//   - Pod: finalizer of launcher pods until they have ended.
//   - SyncKvvm: creates and updates the KVVM; here the variants differ.
//   - SyncPowerState: starts, stops and restarts by the run policy, through
//     status.stateChangeRequests of the KVVM.
//   - LifeCycle: the phase. So SyncKvvm sees the phase of an earlier pass.
//
// # How a change reaches the KVVM
//
// A change is a difference between the spec of the VM, or of its class, and the
// annotations of the KVVM that say what was applied last. Updating the KVVM writes
// both annotations as well, so each change is seen once. Of these cases SyncKvvm
// takes the first that is true:
//
//  1. the VM is Pending, its KVVM ErrorUnschedulable, and the placement changed: the
//     KVVM is updated, then the pod is deleted (most variants);
//  2. the KVVM is stopped: it is updated;
//  3. nothing changed: nothing to do;
//  4. no change takes a restart, or there is no KVVMI, or the KVVM counts as Pending:
//     the KVVM is updated;
//  5. the changes wait for a restart.
//
// The suffix -ee of a variant sets the feature gate
// AutoMigrationIfNodePlacementChanged: then changes of node selector, affinity and
// tolerations take no restart.
//
// # Variants
//
//	variant            case 1: what must have changed               what is deleted
//	none               there is no such case                        nothing
//	node-selector      node selector of the KVVM, against one       the pod
//	                   that is freshly built
//	vm-placement       affinity, nodeSelector, tolerations of       the pod
//	                   the VM
//	placement          these, the VM's class, nodeSelector and      the pod
//	                   tolerations of the class
//	delete-kvvmi       the same as placement                        the KVVMI
//	restart-required   there is no such case                        nothing
//	level              the pod itself is not as VM and class        the pod, as it
//	                   want it, whatever changed when               was seen
//
//	variant            retries the deletion   KVVM up to date: written again
//	none               -                      yes
//	node-selector      no                     yes
//	vm-placement       no                     yes
//	placement          no                     no
//	delete-kvvmi       no                     no
//	restart-required   -                      no
//	level              until the pod is gone  no
//
// In the order of the table: the controller before virtualization#1512; its draft, as
// its review guide has it; #1512 as it was released; #2177 and later; what its review
// discussed and rejected; and the controller without any of it, in a cluster whose
// KubeVirt restarts a VM by itself when the condition RestartRequired is true and its
// KVVMI is not scheduled yet. That is a setting of the cluster and no code here.
//
// # The variant level
//
// The others act on a difference that the first of two writes makes disappear. They
// leave the pod for ever if the second write fails, if the caches do not agree on a
// pod at that moment, if the change came before KubeVirt said that the VM cannot be
// scheduled, or if what changed is not in their list. The variant level compares the
// pod with what VM and class want (in place of case 1), so it can be late, and can be
// repeated, but cannot miss:
//
//   - it looks at pods that the KVVMI controls, that have no node and that the scheduler
//     refused, by the pod's own condition or the KVVMI's. What KubeVirt and the API
//     server add to every pod is no difference;
//   - a change that takes a restart and is none of placement, or KubeVirt's condition
//     RestartRequired, makes such a pod outdated too: there is nothing to be lost;
//   - while KubeVirt is about to make the KVVMI, such a change waits until it is there:
//     the fork would stop it, and may lose the request to start another;
//   - first the KVVM is updated, and with it an annotation gets the UID of the KVVMI that
//     is given up; then the pod is deleted, with its UID and resourceVersion as
//     preconditions; then KubeVirt is asked to stop that KVVMI and to start another. A
//     pod that was bound meanwhile stays, and so does a VM that starts: its changes come
//     with its next restart;
//   - an error, a conflict too, is retried with back-off until the pod is as wanted,
//     bound or on its way out. Conflicts of all handlers are, so that a cache that is
//     behind is not answered with a write each millisecond;
//   - a KVVMI that failed before its pod had a node was not stopped by anybody. The
//     power state handler has it replaced under every run policy but AlwaysOff; it
//     knows it by the annotation, after a crash too, and by the pod, should the cache
//     of KVVMs be behind.
//   - a VM that is switched off while a start is asked for has the request withdrawn:
//     otherwise KubeVirt and the power state handler may make and delete instances in
//     turn without end.
//
// It polls nothing, and watches what the others watch, the annotation, and every
// update of a pod without a node: else a cache of pods that was behind for long, and
// is no more, would still have to wait for the back-off. Two things it does not do. It
// does not notice that a default priority class is no longer asked for, nor that a
// label of KubeVirt's own was removed where KubeVirt has patched the KVVMI before the
// scheduler refused the pod: both look like what every pod has. And it does not bring
// back a VM whose KVVMI somebody else deleted: under Manual and
// AlwaysOnUnlessStoppedManually that is how users stop a VM.
//
// The package imports the API types in sim/api, and no other package of this module.
package kvvm
