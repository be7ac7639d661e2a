package facts

// Kinds.
const (
	KindPod       = "Pod"
	KindNode      = "Node"
	KindRevision  = "ControllerRevision"
	KindVM        = "VirtualMachine"
	KindVMI       = "VirtualMachineInstance"
	KindMigration = "VirtualMachineInstanceMigration"
)

// Labels, annotations and finalizers of KubeVirt (kubevirt-behaviour 0.5, C.3, D.1, D.3).
const (
	LabelApp              = "kubevirt.io"
	LabelCreatedBy        = "kubevirt.io/created-by"
	LabelMigrationUID     = "kubevirt.io/migrationJobUID"
	LabelVMName           = "vm.kubevirt.io/name"
	LabelNodeName         = "kubevirt.io/nodeName"
	LabelTargetNodeName   = "kubevirt.io/migrationTargetNodeName"
	LabelVMIName          = "kubevirt.io/vmi-name"
	LabelSchedulable      = "kubevirt.io/schedulable"
	LabelHostname         = "kubernetes.io/hostname"
	LabelCPUModelPrefix   = "cpu-model.node.kubevirt.io/"
	LabelCPUFeaturePrefix = "cpu-feature.node.kubevirt.io/"

	AnnotationDomain               = "kubevirt.io/domain"
	AnnotationMigrationName        = "kubevirt.io/migrationJobName"
	AnnotationTransportUnix        = "kubevirt.io/migrationTransportUnix"
	AnnotationTargetReady          = "kubevirt.io/migration-target-ready-timestamp"
	AnnotationEvacuation           = "kubevirt.io/evacuationMigration"
	AnnotationWorkloadUpdate       = "kubevirt.io/workloadUpdateMigration"
	AnnotationObservedVersion      = "kubevirt.io/latest-observed-api-version"
	AnnotationUnschedulableTimeout = "kubevirt.io/migrationUnschedulablePodTimeoutSeconds"
	AnnotationPendingTimeout       = "kubevirt.io/migrationPendingPodTimeoutSeconds"

	// AnnotationGeneration is, on an instance, the generation of the virtual
	// machine that its spec was made from.
	AnnotationGeneration = "kubevirt.io/vm-generation"
	// AnnotationReceiver marks an instance that waits for a machine to come.
	AnnotationReceiver = "kubevirt.io/create-migration-target"
	// AnnotationGuest is not KubeVirt's: it is the hand of the guest's user. With
	// the value GuestShutdown or GuestCrash, the domain ends.
	AnnotationGuest = "vmreplay/guest"

	// FinalizerVM is of the VM controller, on machines and on instances;
	// FinalizerVMI, on instances, of the VMI controller.
	FinalizerVM        = "kubevirt.io/virtualMachineControllerFinalize"
	FinalizerVMI       = "kubevirt.io/foregroundDeleteVirtualMachine"
	FinalizerMigration = "kubevirt.io/migrationJobFinalize"

	// GateUnpaused is the readiness gate of launcher pods.
	GateUnpaused = "kubevirt.io/virtual-machine-unpaused"
	// Launcher is the value of LabelApp on launcher pods.
	Launcher = "virt-launcher"
	// Compute is the container that runs the virtual machine, ForkCompute its name
	// in Deckhouse's fork (kubevirt-behaviour B.6).
	Compute     = "compute"
	ForkCompute = "d8v-compute"
	// ObservedVersion is what AnnotationObservedVersion has after the first
	// reconcile of an object (kubevirt-behaviour 0.4).
	ObservedVersion = "v1"
)

// Values of AnnotationGuest.
const (
	GuestShutdown = "shutdown"
	GuestCrash    = "crash"
)

// Run strategies of a virtual machine (kubevirt-behaviour A.1).
const (
	RunAlways         = "Always"
	RunRerunOnFailure = "RerunOnFailure"
	RunManual         = "Manual"
	RunHalted         = "Halted"
	RunOnce           = "Once"
	RunWaitAsReceiver = "WaitAsReceiver"
)

// Actions of status.stateChangeRequests (kubevirt-behaviour A.4).
const (
	ActionStart = "Start"
	ActionStop  = "Stop"
)

// Phases of a pod and of a VirtualMachineInstance.
const (
	PhasePending   = "Pending"
	PhaseRunning   = "Running"
	PhaseSucceeded = "Succeeded"
	PhaseFailed    = "Failed"
)

// Further phases of a migration, in the order in which they are passed (D.3); an
// instance has the first two as well (C.1).
const (
	PhaseScheduling      = "Scheduling"
	PhaseScheduled       = "Scheduled"
	PhasePreparingTarget = "PreparingTarget"
	PhaseTargetReady     = "TargetReady"
)

// PhaseWaitingForSync is of an instance that receives a machine from elsewhere.
const PhaseWaitingForSync = "WaitingForSync"

// Final tells whether a pod, an instance or a migration has ended.
func Final(phase string) bool { return phase == PhaseSucceeded || phase == PhaseFailed }
