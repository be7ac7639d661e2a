// Package virthandler stands for virt-handler and virt-launcher on all nodes, as
// far as a live migration needs them: the target prepares, the source moves the
// domain, both write what they see into the VirtualMachineInstance
// (kubevirt-behaviour D.8).
//
// The domains themselves (libvirt, QEMU) are nothing but timers. The package
// knows standin and facts; the pods that domains run in reach it through the
// interface Launchers.
package virthandler
