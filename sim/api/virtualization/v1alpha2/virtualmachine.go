package v1alpha2

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// VirtualMachine is a virtual machine as its user wants it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=vm,singular=virtualmachine
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Node",type=string,JSONPath=`.status.nodeName`
type VirtualMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   VirtualMachineSpec   `json:"spec"`
	Status VirtualMachineStatus `json:"status,omitempty"`
}

// VirtualMachineList is a list of VirtualMachines.
//
// +kubebuilder:object:root=true
type VirtualMachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []VirtualMachine `json:"items"`
}

// VirtualMachineSpec says what VM is wanted and where it may run.
type VirtualMachineSpec struct {
	// RunPolicy says when the VM shall run.
	// +kubebuilder:default=AlwaysOnUnlessStoppedManually
	RunPolicy RunPolicy `json:"runPolicy,omitempty"`

	// VirtualMachineClassName is the class whose rules are added to those here.
	// +kubebuilder:validation:MinLength=1
	VirtualMachineClassName string `json:"virtualMachineClassName"`

	CPU    CPUSpec    `json:"cpu"`
	Memory MemorySpec `json:"memory"`

	// NodeSelector are labels that a node must have.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	Affinity     *VMAffinity       `json:"affinity,omitempty"`
	// Tolerations are the taints that do not keep the VM from a node.
	Tolerations               []corev1.Toleration               `json:"tolerations,omitempty"`
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
	PriorityClassName         string                            `json:"priorityClassName,omitempty"`

	// TerminationGracePeriodSeconds is how long the guest may take to shut down.
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=0
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds,omitempty"`
}

// RunPolicy says when a VM shall run: always, never, when it is told to, or
// always except after it was stopped.
//
// +kubebuilder:validation:Enum=AlwaysOn;AlwaysOff;Manual;AlwaysOnUnlessStoppedManually
type RunPolicy string

// The run policies.
const (
	AlwaysOnPolicy                RunPolicy = "AlwaysOn"
	AlwaysOffPolicy               RunPolicy = "AlwaysOff"
	ManualPolicy                  RunPolicy = "Manual"
	AlwaysOnUnlessStoppedManually RunPolicy = "AlwaysOnUnlessStoppedManually"
)

// CPUSpec is the processor of a VM.
type CPUSpec struct {
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Format=int32
	Cores int `json:"cores"`
}

// MemorySpec is the memory of a VM.
type MemorySpec struct {
	Size resource.Quantity `json:"size"`
}

// VMAffinity attracts a VM to nodes, and to or from the VMs and pods on them.
type VMAffinity struct {
	NodeAffinity                     *corev1.NodeAffinity    `json:"nodeAffinity,omitempty"`
	VirtualMachineAndPodAffinity     *corev1.PodAffinity     `json:"virtualMachineAndPodAffinity,omitempty"`
	VirtualMachineAndPodAntiAffinity *corev1.PodAntiAffinity `json:"virtualMachineAndPodAntiAffinity,omitempty"`
}

// VirtualMachineStatus is what became of the VM.
type VirtualMachineStatus struct {
	Phase MachinePhase `json:"phase,omitempty"`
	// Node is the node that the VM runs on.
	Node string `json:"nodeName,omitempty"`
	// RestartAwaitingChanges are the paths of the changes that a restart would apply.
	RestartAwaitingChanges []string           `json:"restartAwaitingChanges,omitempty"`
	Conditions             []metav1.Condition `json:"conditions,omitempty"`
	ObservedGeneration     int64              `json:"observedGeneration,omitempty"`
}

// MachinePhase is the state of a VM in one word.
//
// +kubebuilder:validation:Enum=Pending;Starting;Running;Stopping;Stopped;Terminating;Migrating;Pause;Degraded
type MachinePhase string

// The phases that the controller sets.
const (
	MachinePending     MachinePhase = "Pending"
	MachineStarting    MachinePhase = "Starting"
	MachineRunning     MachinePhase = "Running"
	MachineStopping    MachinePhase = "Stopping"
	MachineStopped     MachinePhase = "Stopped"
	MachineTerminating MachinePhase = "Terminating"
	MachineMigrating   MachinePhase = "Migrating"
	MachinePause       MachinePhase = "Pause"
)
