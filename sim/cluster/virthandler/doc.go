// Package virthandler stands for virt-handler and virt-launcher on all nodes: it
// starts the domains of instances that virt-controller handed over, ends them, and
// carries out live migrations, in which the target prepares and the source moves
// the domain. All of it shows in the VirtualMachineInstance (kubevirt-behaviour
// C.1, D.8).
//
// The domains themselves (libvirt, QEMU) are nothing but timers; what a guest's
// user does is told by an annotation (facts.AnnotationGuest). The package knows
// standin and facts; the pods that domains run in reach it through the interface
// Launchers.
package virthandler
