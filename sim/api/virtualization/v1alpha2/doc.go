// Package v1alpha2 has the types of the API group virtualization.deckhouse.io
// that the kvvm controller works with: VirtualMachine and VirtualMachineClass,
// with the fields that say where a VM may run, whether it shall run, how large it
// is, and what became of it. Fields that it does not know survive in the
// simulated API server, but a client of this package would drop them when it
// writes a whole object; the controller writes only the status and the finalizers.
//
// The CRDs in fixtures/crds and the deep copies are made from it by
// hack/crdgen/crdgen.sh.
//
// +kubebuilder:object:generate=true
// +groupName=virtualization.deckhouse.io
package v1alpha2
