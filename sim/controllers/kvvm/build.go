package kvvm

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// buildKVVM makes KubeVirt's VM of a VM and its class, or brings the one that there
// is up to date. The specs that it was built from go with it as annotations.
func buildKVVM(vm *v1alpha2.VirtualMachine, class *v1alpha2.VirtualMachineClass, existing *kubevirtv1.VirtualMachine) (*kubevirtv1.VirtualMachine, error) {
	kvvm := existing.DeepCopy()
	if kvvm == nil {
		kvvm = emptyKVVM(vm)
	}
	if kvvm.Spec.Template == nil {
		kvvm.Spec.Template = &kubevirtv1.VirtualMachineInstanceTemplateSpec{}
	}
	spec := &kvvm.Spec.Template.Spec
	place := wantedPlacement(&vm.Spec, &class.Spec)
	spec.NodeSelector = place.nodeSelector
	spec.Affinity = place.affinity
	spec.Tolerations = place.tolerations
	spec.TopologySpreadConstraints = place.topologySpreadConstraints
	spec.PriorityClassName = place.priorityClassName
	spec.TerminationGracePeriodSeconds = vm.Spec.TerminationGracePeriodSeconds
	spec.Domain.CPU = &kubevirtv1.CPU{Cores: uint32(vm.Spec.CPU.Cores), Model: cpuModel(class.Spec.CPU)}
	spec.Domain.Memory = &kubevirtv1.Memory{Guest: ptr.To(vm.Spec.Memory.Size)}
	spec.Domain.Resources.Requests = corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewQuantity(int64(vm.Spec.CPU.Cores), resource.DecimalSI),
		corev1.ResourceMemory: vm.Spec.Memory.Size,
	}
	if err := annotateJSON(kvvm, AnnLastAppliedSpec, vm.Spec); err != nil {
		return nil, err
	}
	return kvvm, annotateJSON(kvvm, AnnLastAppliedClassSpec, class.Spec)
}

// emptyKVVM is a KVVM that has only what is decided at its creation.
func emptyKVVM(vm *v1alpha2.VirtualMachine) *kubevirtv1.VirtualMachine {
	owner := metav1.NewControllerRef(vm, v1alpha2.GroupVersion.WithKind(v1alpha2.VirtualMachineKind))
	return &kubevirtv1.VirtualMachine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: vm.Namespace, Name: vm.Name,
			OwnerReferences: []metav1.OwnerReference{*owner},
			Finalizers:      []string{FinalizerKVVMProtection},
		},
		Spec: kubevirtv1.VirtualMachineSpec{RunStrategy: ptr.To(firstRunStrategy(vm.Spec.RunPolicy))},
	}
}

// firstRunStrategy lets KubeVirt itself start a VM that is to run from its creation
// on; all other decisions are the power state handler's (kubevirt-behaviour B.5).
func firstRunStrategy(p v1alpha2.RunPolicy) kubevirtv1.VirtualMachineRunStrategy {
	if p == v1alpha2.AlwaysOnUnlessStoppedManually {
		return kubevirtv1.RunStrategyAlways
	}
	return kubevirtv1.RunStrategyManual
}

func cpuModel(cpu v1alpha2.ClassCPU) string {
	switch cpu.Type {
	case v1alpha2.CPUTypeModel:
		return cpu.Model
	case v1alpha2.CPUTypeHostPassthrough:
		return kubevirtv1.CPUModeHostPassthrough
	case v1alpha2.CPUTypeHost:
		return kubevirtv1.CPUModeHostModel
	}
	return ""
}

func annotateJSON(kvvm *kubevirtv1.VirtualMachine, key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("annotation %s: %w", key, err)
	}
	metav1.SetMetaDataAnnotation(&kvvm.ObjectMeta, key, string(text))
	return nil
}
