package apiserver

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	quantity "k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// admit is the admission plug-in ResourceQuota: a new object must fit what its
// namespace's quotas leave, and is added to what is used. Quotas count by their
// status, which the quota controller copies from the spec: one without a status
// limits nothing. Scopes are not looked at: a quota with some is left alone.
func (s *Server) admit(res *resource, object map[string]any, w write) error {
	quotas := s.catalog.byKind["ResourceQuota"]
	if quotas == nil || !res.Namespaced {
		return nil
	}
	meta := child(object, "metadata")
	all := within(s.store(quotas).objects, text(meta, "namespace"))
	if len(all) == 0 {
		return nil
	}
	use := usage(res, object)
	var spent []*corev1.ResourceQuota
	var of []*Object
	for _, o := range slices.Clone(all) {
		quota := As[corev1.ResourceQuota](o)
		after, err := charge(quota, use)
		if err != nil {
			return apierrors.NewForbidden(res.gr, text(meta, "name"), err)
		}
		if after != nil {
			spent, of = append(spent, after), append(of, o)
		}
	}
	if w.dryRun {
		return nil
	}
	for i, quota := range spent {
		if _, err := s.update(of[i], ToContent(quota), write{subresource: "status", put: true, manager: "kube-apiserver"}); err != nil {
			return err
		}
	}
	return nil
}

// charge adds a use to a quota; nil means that the quota does not count it.
func charge(quota *corev1.ResourceQuota, use corev1.ResourceList) (*corev1.ResourceQuota, error) {
	if len(quota.Spec.Scopes) > 0 || quota.Spec.ScopeSelector != nil {
		return nil, nil
	}
	requested, exceeded := corev1.ResourceList{}, []corev1.ResourceName{}
	after := quota.DeepCopy()
	for _, name := range slices.Sorted(maps.Keys(quota.Status.Hard)) {
		amount, counted := use[name]
		if !counted {
			continue
		}
		used, known := quota.Status.Used[name]
		if !known {
			return nil, fmt.Errorf("status unknown for quota: %s, resources: %s", quota.Name, name)
		}
		requested[name] = amount
		sum := used.DeepCopy()
		sum.Add(amount)
		if sum.Cmp(quota.Status.Hard[name]) > 0 {
			exceeded = append(exceeded, name)
		}
		after.Status.Used[name] = sum
	}
	if len(exceeded) > 0 {
		return nil, fmt.Errorf("exceeded quota: %s, requested: %s, used: %s, limited: %s", quota.Name,
			amounts(requested, exceeded), amounts(quota.Status.Used, exceeded), amounts(quota.Status.Hard, exceeded))
	}
	if len(requested) == 0 {
		return nil, nil
	}
	return after, nil
}

func amounts(list corev1.ResourceList, names []corev1.ResourceName) string {
	var parts []string
	for _, name := range names {
		q := list[name]
		parts = append(parts, string(name)+"="+q.String())
	}
	return strings.Join(parts, ",")
}

// usage is what an object counts for, by the names of quotas.
func usage(res *resource, object map[string]any) corev1.ResourceList {
	one := *quantity.NewQuantity(1, quantity.DecimalSI)
	use := corev1.ResourceList{}
	if res.Group == "" {
		use[corev1.ResourceName("count/"+res.Plural)] = one
		if countedByName[res.Plural] {
			use[corev1.ResourceName(res.Plural)] = one
		}
	} else {
		use[corev1.ResourceName("count/"+res.Plural+"."+res.Group)] = one
	}
	switch res.Plural {
	case "pods":
		podUsage(object, use)
	case "persistentvolumeclaims":
		requests := child(child(child(object, "spec"), "resources"), "requests")
		use[corev1.ResourceRequestsStorage] = amount(requests, "storage")
	}
	return use
}

var countedByName = map[string]bool{"pods": true, "services": true, "secrets": true, "configmaps": true,
	"persistentvolumeclaims": true, "resourcequotas": true, "replicationcontrollers": true}

// podUsage sums what the containers of a pod request and are limited to.
func podUsage(object map[string]any, use corev1.ResourceList) {
	containers, _ := child(object, "spec")["containers"].([]any)
	add := func(name corev1.ResourceName, q quantity.Quantity) {
		sum := use[name]
		sum.Add(q)
		use[name] = sum
	}
	for _, e := range containers {
		c, _ := e.(map[string]any)
		resources := child(c, "resources")
		for name := range child(resources, "requests") {
			q := amount(child(resources, "requests"), name)
			add(corev1.ResourceName("requests."+name), q)
			if name == "cpu" || name == "memory" || name == "ephemeral-storage" {
				add(corev1.ResourceName(name), q)
			}
		}
		for name := range child(resources, "limits") {
			add(corev1.ResourceName("limits."+name), amount(child(resources, "limits"), name))
		}
	}
}

// CountQuota does one round of the quota controller for one quota: its status
// takes over the limits of the spec, and what its namespace uses is counted anew.
// Who stands in for the controller manager decides when.
func (s *Server) CountQuota(quota engine.Ref) error {
	res, err := s.kind(quota.Kind)
	if err != nil {
		return err
	}
	o := s.store(res).get(quota.Key())
	if o == nil {
		return notFound(res, quota.Name)
	}
	if res.Group != "" || res.Kind != "ResourceQuota" {
		return errors.New("CountQuota: want a ResourceQuota, found a " + res.Kind)
	}
	counted := As[corev1.ResourceQuota](o).DeepCopy()
	counted.Status.Hard = counted.Spec.Hard
	counted.Status.Used = corev1.ResourceList{}
	for name := range counted.Spec.Hard {
		counted.Status.Used[name] = *quantity.NewQuantity(0, quantity.DecimalSI)
	}
	for _, r := range s.catalog.resources {
		if !r.Namespaced || r.Internal {
			continue
		}
		for _, member := range within(s.store(r).objects, quota.Namespace) {
			addUsage(counted, r, member)
		}
	}
	_, err = s.update(o, ToContent(counted), write{subresource: "status", put: true, manager: "kube-controller-manager"})
	return err
}

func addUsage(counted *corev1.ResourceQuota, r *resource, o *Object) {
	if phase := text(child(o.content, "status"), "phase"); r.graceful && (phase == "Succeeded" || phase == "Failed") {
		return // the containers of a pod that ended use nothing
	}
	for name, q := range usage(r, o.content) {
		if sum, counts := counted.Status.Used[name]; counts {
			sum.Add(q)
			counted.Status.Used[name] = sum
		}
	}
}
