package apiserver

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// Builtin gives the kinds that every cluster has, as far as VM controllers use
// them.
func Builtin() []Resource { return slices.Clone(builtin) }

// KubeVirt gives the kinds that KubeVirt adds. VirtualMachine and
// VirtualMachineInstanceMigration have a status subresource,
// VirtualMachineInstance has none: any write of it may change its status, and
// such a write raises metadata.generation.
func KubeVirt() []Resource { return slices.Clone(kubeVirt) }

var builtin = []Resource{
	{Version: "v1", Plural: "configmaps", Singular: "configmap", Kind: "ConfigMap", ShortNames: []string{"cm"}, Namespaced: true,
		New: func() runtime.Object { return new(corev1.ConfigMap) }},
	{Version: "v1", Plural: "events", Singular: "event", Kind: "Event", ShortNames: []string{"ev"}, Namespaced: true,
		New: func() runtime.Object { return new(corev1.Event) }},
	{Version: "v1", Plural: "namespaces", Singular: "namespace", Kind: "Namespace", ShortNames: []string{"ns"}, Status: true,
		New: func() runtime.Object { return new(corev1.Namespace) }},
	{Version: "v1", Plural: "nodes", Singular: "node", Kind: "Node", ShortNames: []string{"no"}, Status: true,
		New: func() runtime.Object { return new(corev1.Node) }},
	{Version: "v1", Plural: "persistentvolumeclaims", Singular: "persistentvolumeclaim", Kind: "PersistentVolumeClaim", ShortNames: []string{"pvc"}, Namespaced: true, Status: true,
		New: func() runtime.Object { return new(corev1.PersistentVolumeClaim) }},
	{Version: "v1", Plural: "pods", Singular: "pod", Kind: "Pod", ShortNames: []string{"po"}, Namespaced: true, Status: true, Generation: true,
		New: func() runtime.Object { return new(corev1.Pod) }},
	{Version: "v1", Plural: "resourcequotas", Singular: "resourcequota", Kind: "ResourceQuota", ShortNames: []string{"quota"}, Namespaced: true, Status: true,
		New: func() runtime.Object { return new(corev1.ResourceQuota) }},
	{Version: "v1", Plural: "secrets", Singular: "secret", Kind: "Secret", Namespaced: true,
		New: func() runtime.Object { return new(corev1.Secret) }},
	{Version: "v1", Plural: "serviceaccounts", Singular: "serviceaccount", Kind: "ServiceAccount", ShortNames: []string{"sa"}, Namespaced: true,
		New: func() runtime.Object { return new(corev1.ServiceAccount) }},
	{Version: "v1", Plural: "services", Singular: "service", Kind: "Service", ShortNames: []string{"svc"}, Namespaced: true, Status: true,
		New: func() runtime.Object { return new(corev1.Service) }},
	{Group: "apps", Version: "v1", Plural: "controllerrevisions", Singular: "controllerrevision", Kind: "ControllerRevision", Namespaced: true,
		New: func() runtime.Object { return new(appsv1.ControllerRevision) }},
	{Group: "coordination.k8s.io", Version: "v1", Plural: "leases", Singular: "lease", Kind: "Lease", Namespaced: true,
		New: func() runtime.Object { return new(coordinationv1.Lease) }},
	{Group: "policy", Version: "v1", Plural: "poddisruptionbudgets", Singular: "poddisruptionbudget", Kind: "PodDisruptionBudget", ShortNames: []string{"pdb"}, Namespaced: true, Status: true, Generation: true,
		New: func() runtime.Object { return new(policyv1.PodDisruptionBudget) }},
}

var kubeVirt = []Resource{
	{Group: "kubevirt.io", Version: "v1", Plural: "virtualmachines", Singular: "virtualmachine", Kind: "VirtualMachine", ShortNames: []string{"vm", "vms"}, Namespaced: true, Status: true, Generation: true,
		New: func() runtime.Object { return new(kubevirtv1.VirtualMachine) }},
	{Group: "kubevirt.io", Version: "v1", Plural: "virtualmachineinstances", Singular: "virtualmachineinstance", Kind: "VirtualMachineInstance", ShortNames: []string{"vmi", "vmis"}, Namespaced: true, Generation: true,
		New: func() runtime.Object { return new(kubevirtv1.VirtualMachineInstance) }},
	{Group: "kubevirt.io", Version: "v1", Plural: "virtualmachineinstancemigrations", Singular: "virtualmachineinstancemigration", Kind: "VirtualMachineInstanceMigration", ShortNames: []string{"vmim", "vmims"}, Namespaced: true, Status: true, Generation: true,
		New: func() runtime.Object { return new(kubevirtv1.VirtualMachineInstanceMigration) }},
}
