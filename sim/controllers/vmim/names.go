package vmim

import (
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// Values of the label kubevirt.io of pods.
const (
	launcher   = "virt-launcher" // a VM runs in it
	attachment = "hotplug-disk"  // it brings a hot-plugged volume to a launcher's node
)

// migrationUID is the UID of the migration that the pod was made for, or empty.
func migrationUID(pod *corev1.Pod) string { return pod.Labels[kubevirtv1.MigrationJobLabel] }

// vmOfPod is the "namespace/VM" of a launcher pod, or empty for any other pod.
func vmOfPod(pod *corev1.Pod) string {
	app, labelled := pod.Labels[kubevirtv1.AppLabel]
	if labelled && app != launcher {
		return ""
	}
	if name := pod.Labels[kubevirtv1.DeprecatedVirtualMachineNameLabel]; name != "" {
		return vmKey(pod.Namespace, name)
	}
	for _, owner := range pod.OwnerReferences {
		if labelled && owner.Kind == "VirtualMachineInstance" {
			return vmKey(pod.Namespace, owner.Name)
		}
	}
	return ""
}

func vmOfMigration(m *kubevirtv1.VirtualMachineInstanceMigration) string {
	return vmKey(m.Namespace, m.Spec.VMIName)
}

// vmKey is the name of a VM in queues and in the ports' external IDs. A VM and its
// VMI have the same name.
func vmKey(namespace, name string) string { return namespace + "/" + name }
