package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kinds and resources of the group.
const (
	VirtualMachineKind          = "VirtualMachine"
	VirtualMachineResource      = "virtualmachines"
	VirtualMachineClassKind     = "VirtualMachineClass"
	VirtualMachineClassResource = "virtualmachineclasses"
)

// GroupVersion is the API version of the types.
var GroupVersion = schema.GroupVersion{Group: "virtualization.deckhouse.io", Version: "v1alpha2"}

// AddToScheme registers the types.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&VirtualMachine{}, &VirtualMachineList{},
		&VirtualMachineClass{}, &VirtualMachineClassList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
