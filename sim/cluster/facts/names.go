package facts

// Kinds.
const (
	KindPod       = "Pod"
	KindNode      = "Node"
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

	FinalizerMigration = "kubevirt.io/migrationJobFinalize"

	// GateUnpaused is the readiness gate of launcher pods.
	GateUnpaused = "kubevirt.io/virtual-machine-unpaused"
	// Launcher is the value of LabelApp on launcher pods.
	Launcher = "virt-launcher"
	// Compute is the container that runs the virtual machine.
	Compute = "compute"
)

// Phases of a pod and of a VirtualMachineInstance.
const (
	PhasePending   = "Pending"
	PhaseRunning   = "Running"
	PhaseSucceeded = "Succeeded"
	PhaseFailed    = "Failed"
)

// Further phases of a migration, in the order in which they are passed (D.3).
const (
	PhaseScheduling      = "Scheduling"
	PhaseScheduled       = "Scheduled"
	PhasePreparingTarget = "PreparingTarget"
	PhaseTargetReady     = "TargetReady"
)

// Final tells whether a pod, an instance or a migration has ended.
func Final(phase string) bool { return phase == PhaseSucceeded || phase == PhaseFailed }
