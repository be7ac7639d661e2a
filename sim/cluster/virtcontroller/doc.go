// Package virtcontroller stands for KubeVirt's virt-controller, as far as a live
// migration needs it: the whole state machine of a
// VirtualMachineInstanceMigration (kubevirt-behaviour D), and of the instance
// itself only what follows from its pods.
//
// The order of things is the contract, because other controllers depend on it:
// one reconcile lists the target pods, then acts, then derives the phase from the
// pods that it listed before. Where KubeVirt's versions differ, the newer one is
// followed unless a comment says otherwise. Not modelled: hotplug volumes,
// backend storage, decentralized migrations, migration policies, the queue's
// priorities and its overall rate limit.
//
// The package knows standin and facts; it knows no other stand-in.
package virtcontroller
