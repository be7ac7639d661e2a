// Package virtcontroller stands for KubeVirt's virt-controller: three controllers
// over one cache, each with a queue of its own. Those of machines and of instances
// are packages below this one; that of live migrations is here, the whole state
// machine of a VirtualMachineInstanceMigration (kubevirt-behaviour D).
//
// The order of things is the contract, because other controllers depend on it:
// one reconcile of a migration lists the target pods, then acts, then derives the
// phase from the pods that it listed before. Where KubeVirt's versions differ in
// migrations, the newer one is followed unless a comment says otherwise. Not
// modelled: hotplug volumes, backend storage, decentralized migrations, migration
// policies, the queue's priorities and its overall rate limit.
//
// The package knows standin, facts and what is below it; it knows no other
// stand-in.
package virtcontroller
