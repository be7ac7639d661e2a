// Package machine stands for virt-controller's controller of VirtualMachines: it
// creates and deletes their instances as the run strategy asks, carries changes of
// the template over to a running instance where that is possible, and shows it all
// in the machine's status (kubevirt-behaviour A, B).
//
// What it decides is in pure functions (decide, printable, trims, ...); around
// them a pass goes through the steps of one reconcile in their order, because
// races depend on it: each write is a decision of its own, and each step sees what
// the one before it left behind.
//
// Not modelled: DataVolumes, instance types, volumes and interfaces that are
// plugged, memory dumps, the firmware's UUID, adoption of the generation of
// instances older than the controller.
//
// It knows standin, facts, the cache and what launchers request.
package machine
