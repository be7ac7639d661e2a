package kvvm

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/api/virtualization/v1alpha2"
)

// types are the Go types of all kinds that the controller uses. They are collected
// once: it takes longer than a short run of the controller.
var types = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(s))
	utilruntime.Must(kubevirtv1.AddToScheme(s))
	utilruntime.Must(v1alpha2.AddToScheme(s))
	return s
})

// resources maps the kinds to their resources without asking the API server: the
// controller is useless in a cluster that does not serve exactly these.
var resources = sync.OnceValue(func() meta.RESTMapper {
	groups := []schema.GroupVersion{corev1.SchemeGroupVersion, kubevirtv1.GroupVersion, v1alpha2.GroupVersion}
	m := meta.NewDefaultRESTMapper(groups)
	m.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	m.Add(kubevirtv1.VirtualMachineGroupVersionKind, meta.RESTScopeNamespace)
	m.Add(kubevirtv1.VirtualMachineInstanceGroupVersionKind, meta.RESTScopeNamespace)
	m.Add(v1alpha2.GroupVersion.WithKind(v1alpha2.VirtualMachineKind), meta.RESTScopeNamespace)
	m.Add(v1alpha2.GroupVersion.WithKind(v1alpha2.VirtualMachineClassKind), meta.RESTScopeRoot)
	return m
})
