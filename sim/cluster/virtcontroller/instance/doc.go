// Package instance stands for virt-controller's controller of
// VirtualMachineInstances: it creates their launcher pods, derives their phase
// from them, and lets them go when the pods are gone (kubevirt-behaviour C).
//
// One reconcile first acts (pods), then writes the status, and the pod that it
// has just created takes it on to Scheduling. While the event of one of its own
// writes is still to come, a reconcile does nothing at all.
//
// Not modelled: volumes, topology hints, backend storage, attachment pods, CPU and
// memory while they are being plugged.
//
// It knows standin, facts, the cache and the renderer of launchers.
package instance
