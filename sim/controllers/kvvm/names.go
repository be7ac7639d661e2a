package kvvm

import kubevirtv1 "kubevirt.io/api/core/v1"

// ControllerName is the name of the controller and of its queue.
const ControllerName = "vm-controller"

const prefix = "virtualization.deckhouse.io/"

// Annotations of the KVVM.
const (
	// AnnLastAppliedSpec is the VM's spec that the KVVM was built from, as JSON.
	AnnLastAppliedSpec = prefix + "vm.last-applied-spec"
	// AnnLastAppliedClassSpec is the spec of the VM's class that it was built from.
	AnnLastAppliedClassSpec = prefix + "vmclass.last-applied-spec"
	// AnnStartRequested asks, with the value "true", for the VM to be started.
	AnnStartRequested = prefix + "vm-start-requested"
	// AnnRestartRequested asks for the VM to be restarted.
	AnnRestartRequested = prefix + "vm-restart-requested"
	// AnnReplacedInstance is the UID of the KVVMI whose pod variant level deleted:
	// when that instance fails, it is to be replaced whatever the run policy says.
	AnnReplacedInstance = prefix + "replaced-instance"
)

// Finalizers.
const (
	FinalizerVMCleanup      = prefix + "vm-cleanup"      // of the VM
	FinalizerKVVMProtection = prefix + "kvvm-protection" // of the KVVM
	FinalizerPodProtection  = prefix + "pod-protection"  // of launcher pods
)

// Types of the VM's conditions.
const (
	conditionClassReady     = "VirtualMachineClassReady"
	conditionRunning        = "Running"
	conditionApplied        = "ConfigurationApplied"
	conditionAwaitsRestart  = "AwaitingRestartToApplyConfiguration"
	conditionPodIsScheduled = "PodScheduled" // of KubeVirt's objects
	conditionSynchronized   = "Synchronized" // of KubeVirt's objects
)

const requested = "true"

// labelVMName is the label that every launcher pod has (kubevirt-behaviour C.3).
const labelVMName = kubevirtv1.DeprecatedVirtualMachineNameLabel
