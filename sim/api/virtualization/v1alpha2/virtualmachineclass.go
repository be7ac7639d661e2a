package v1alpha2

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// VirtualMachineClass has rules that all VMs of the class share.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=vmclass,singular=virtualmachineclass
type VirtualMachineClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   VirtualMachineClassSpec   `json:"spec"`
	Status VirtualMachineClassStatus `json:"status,omitempty"`
}

// VirtualMachineClassList is a list of VirtualMachineClasses.
//
// +kubebuilder:object:root=true
type VirtualMachineClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []VirtualMachineClass `json:"items"`
}

// VirtualMachineClassSpec says where VMs of the class may run.
type VirtualMachineClassSpec struct {
	NodeSelector NodeSelector `json:"nodeSelector,omitempty"`
	// Tolerations are added to those of the VM.
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	CPU         ClassCPU            `json:"cpu,omitempty"`
}

// NodeSelector selects nodes by their labels; all of it must match.
type NodeSelector struct {
	MatchLabels      map[string]string                `json:"matchLabels,omitempty"`
	MatchExpressions []corev1.NodeSelectorRequirement `json:"matchExpressions,omitempty"`
}

// ClassCPU is the processor that VMs of the class see.
type ClassCPU struct {
	Type CPUType `json:"type,omitempty"`
	// Model is the name of the model, with type Model.
	Model string `json:"model,omitempty"`
}

// CPUType says where the model of the processor comes from.
//
// +kubebuilder:validation:Enum=Host;HostPassthrough;Discovery;Model;Features
type CPUType string

// The types of processor that the controller tells apart.
const (
	CPUTypeHost            CPUType = "Host"
	CPUTypeHostPassthrough CPUType = "HostPassthrough"
	CPUTypeModel           CPUType = "Model"
)

// VirtualMachineClassStatus is what became of the class.
type VirtualMachineClassStatus struct {
	Phase      string             `json:"phase,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
