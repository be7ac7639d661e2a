package apiserver

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// A Resource is one kind of object that the server stores. Keys are unique within
// a server.
type Resource struct {
	Group, Version, Plural, Singular, Kind string
	// Key names the kind in an engine.Ref, and so in traces and conditions; empty
	// means Kind. It tells kinds of one name in different groups apart.
	Key string

	ShortNames []string
	Namespaced bool
	// Status says that the kind has a status subresource: then the main
	// endpoint never changes the status, and "status" changes nothing else.
	Status bool
	// Internal marks a table of another system that is kept in the same store.
	// It is never served over HTTP and never discovered.
	Internal bool
	// Generation says that metadata.generation is kept.
	Generation bool
	// New makes an empty typed form; nil for kinds without one.
	New func() runtime.Object
	// Schema is enforced on requests; nil for kinds without one.
	Schema Schema
}

// resource is a Resource with all that follows from it, computed once.
type resource struct {
	Resource
	behaviour

	index      int // the slot of its store in every server
	apiVersion string
	itemPrefix []byte // of the JSON of an object: what an item of a list leaves out
	gk         schema.GroupKind
	gr         schema.GroupResource
	key        string // of references: Key or Kind
	// custom says that a CustomResourceDefinition defines the kind: the real
	// server then treats it by its generic rules for custom resources.
	custom bool
	// defaults fills in what is left out; nil for kinds without defaults.
	defaults func(object map[string]any)
	// parts are the fields of the Go type, by JSON name.
	parts    parts
	managers fieldManagers
}

// behaviour is where kube-apiserver treats one built-in kind unlike another.
type behaviour struct {
	// graceful: deletion gives the owner time to end (Pod).
	graceful bool
	// guarded: PUT without resourceVersion is refused.
	guarded bool
	// upsert: PUT of an absent object creates it.
	upsert bool
	// returnsDeleted: DELETE answers with the object instead of a Status.
	returnsDeleted bool
	// keepsStatus: a status given at creation stays (Node).
	keepsStatus bool
	// phase is status.phase at creation.
	phase string
	// given are fields of the spec that the server fills in after it noted who
	// sent the object: no manager owns them.
	given []string
	// looseFinalizers: names of finalizers need no domain.
	looseFinalizers bool
	// oneByOne: the collection cannot be deleted (Namespace).
	oneByOne bool
	// fields are the field selectors beside those of the metadata.
	fields []string
	// name checks a name; prefix says that more will be appended to it.
	name validation.ValidateNameFunc
}

var behaviours = map[schema.GroupKind]behaviour{
	{Kind: "Pod"}: {graceful: true, given: []string{"preemptionPolicy", "priority", "tolerations"}, returnsDeleted: true, phase: "Pending", fields: []string{
		"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
		"status.phase", "status.podIP", "status.nominatedNodeName"}},
	{Kind: "Node"}:                  {keepsStatus: true, fields: []string{"spec.unschedulable"}},
	{Kind: "Namespace"}:             {phase: "Active", oneByOne: true, fields: []string{"status.phase"}, name: validation.ValidateNamespaceName},
	{Kind: "PersistentVolumeClaim"}: {phase: "Pending", returnsDeleted: true},
	{Kind: "ResourceQuota"}:         {returnsDeleted: true},
	{Kind: "Secret"}:                {fields: []string{"type"}},
	{Kind: "Service"}:               {returnsDeleted: true, upsert: true, name: validation.NameIsDNSLabel, given: []string{"clusterIPs", "ipFamilies", "ipFamilyPolicy"}, fields: []string{"spec.clusterIP", "spec.type"}},
	{Kind: "ServiceAccount"}:        {returnsDeleted: true, name: validation.ValidateServiceAccountName},
	{Kind: "Event"}: {upsert: true, looseFinalizers: true, name: pathSegment, fields: []string{"involvedObject.kind", "involvedObject.namespace",
		"involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion",
		"involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
		"reportingComponent", "type"}},
	{Group: "coordination.k8s.io", Kind: "Lease"}:  {guarded: true, upsert: true, looseFinalizers: true},
	{Group: "policy", Kind: "PodDisruptionBudget"}: {guarded: true, looseFinalizers: true, name: pathSegment},
}

func newResource(r Resource, index int) *resource {
	gk := schema.GroupKind{Group: r.Group, Kind: r.Kind}
	res := &resource{
		Resource:   r,
		behaviour:  behaviours[gk],
		index:      index,
		apiVersion: schema.GroupVersion{Group: r.Group, Version: r.Version}.String(),
		gk:         gk,
		gr:         schema.GroupResource{Group: r.Group, Resource: r.Plural},
		key:        cmp.Or(r.Key, r.Kind),
		custom:     !scheme.Scheme.IsGroupRegistered(r.Group),
	}
	res.itemPrefix = fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,`, res.apiVersion, r.Kind)
	if !res.custom {
		res.defaults = defaults[r.Kind]
	}
	if res.custom {
		res.looseFinalizers = true
		res.guarded = !r.Internal
	}
	if r.New != nil {
		res.parts = newParts(r.New())
	}
	res.managers = newFieldManagers(res)
	if res.name == nil {
		res.name = validation.NameIsDNSSubdomain
	}
	return res
}
