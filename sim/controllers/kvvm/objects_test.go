package kvvm

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// The objects of the stories: VM default/vm of class generic, whose node selector
// no node matches; its pod vm-pod waits for one.

func newClass() *v1alpha2.VirtualMachineClass {
	return &v1alpha2.VirtualMachineClass{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha2.GroupVersion.String(), Kind: v1alpha2.VirtualMachineClassKind},
		ObjectMeta: metav1.ObjectMeta{Name: "generic", UID: "uid-class"},
	}
}

func newVM(edits ...func(*v1alpha2.VirtualMachine)) *v1alpha2.VirtualMachine {
	vm := &v1alpha2.VirtualMachine{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha2.GroupVersion.String(), Kind: v1alpha2.VirtualMachineKind},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "vm", UID: "uid-vm", Generation: 1, Finalizers: []string{FinalizerVMCleanup}},
		Spec: v1alpha2.VirtualMachineSpec{
			RunPolicy: v1alpha2.AlwaysOnPolicy, VirtualMachineClassName: "generic",
			CPU: v1alpha2.CPUSpec{Cores: 1}, Memory: v1alpha2.MemorySpec{Size: resource.MustParse("1Gi")},
			NodeSelector: map[string]string{"zone": "nowhere"},
		},
	}
	for _, e := range edits {
		e(vm)
	}
	return vm
}

func policy(p v1alpha2.RunPolicy) func(*v1alpha2.VirtualMachine) {
	return func(vm *v1alpha2.VirtualMachine) { vm.Spec.RunPolicy = p }
}

// newKVVM is what the controller makes of the VM, with the status that KubeVirt
// gives it.
func newKVVM(t *testing.T, vm *v1alpha2.VirtualMachine, status kubevirtv1.VirtualMachinePrintableStatus) *kubevirtv1.VirtualMachine {
	t.Helper()
	kvvm, err := buildKVVM(vm, newClass(), nil)
	if err != nil {
		t.Fatal(err)
	}
	kvvm.TypeMeta = metav1.TypeMeta{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine"}
	kvvm.UID, kvvm.Spec.RunStrategy = "uid-kvvm", ptr.To(kubevirtv1.RunStrategyManual)
	kvvm.Status.PrintableStatus, kvvm.Status.Created = status, true
	return kvvm
}

// newKVVMI is an instance whose pod cannot be scheduled.
func newKVVMI() *kubevirtv1.VirtualMachineInstance {
	kvvmi := &kubevirtv1.VirtualMachineInstance{
		TypeMeta:   metav1.TypeMeta{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachineInstance"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "vm", UID: "uid-kvvmi", Finalizers: []string{"kubevirt.io/foregroundDeleteVirtualMachine"}},
	}
	kvvmi.Status.Phase = kubevirtv1.Scheduling
	kvvmi.Status.ActivePods = map[apitypes.UID]string{"uid-pod": ""}
	kvvmi.Status.Conditions = []kubevirtv1.VirtualMachineInstanceCondition{{
		Type: conditionPodIsScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
	}}
	return kvvmi
}

// newPod is a launcher pod as KubeVirt makes it of the VM.
func newPod(vm *v1alpha2.VirtualMachine) *corev1.Pod {
	place := wantedPlacement(&vm.Spec, &newClass().Spec)
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "vm-pod", UID: "uid-pod",
			Labels:     map[string]string{kubevirtv1.AppLabel: "virt-launcher", kubevirtv1.CreatedByLabel: "uid-kvvmi", labelVMName: "vm"},
			Finalizers: []string{FinalizerPodProtection},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "kubevirt.io/v1", Kind: "VirtualMachineInstance", Name: "vm", UID: "uid-kvvmi", Controller: ptr.To(true),
			}},
		},
		Spec: corev1.PodSpec{
			NodeSelector: map[string]string{"kubevirt.io/schedulable": "true"}, Affinity: place.affinity,
			Tolerations: place.tolerations, TopologySpreadConstraints: place.topologySpreadConstraints, PriorityClassName: place.priorityClassName,
			Containers: []corev1.Container{{Name: "compute", Image: "virt-launcher"}},
		},
	}
	for k, v := range place.nodeSelector {
		pod.Spec.NodeSelector[k] = v
	}
	pod.Status.Phase = corev1.PodPending
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}
	return pod
}

// waiting are the objects of a VM whose pod waits for a node.
func waiting(t *testing.T, edits ...func(*v1alpha2.VirtualMachine)) []client.Object {
	t.Helper()
	vm := newVM(edits...)
	vm.Status.Phase = v1alpha2.MachinePending
	return []client.Object{newClass(), vm, newKVVM(t, vm, kubevirtv1.VirtualMachineStatusUnschedulable), newKVVMI(), newPod(vm)}
}
