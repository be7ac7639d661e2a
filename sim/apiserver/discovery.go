package apiserver

import (
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
)

var allVerbs = metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

// discoveryDocuments encodes what discovery clients read, by path: the lists of
// versions and groups, each group, and each group's list of resources.
// Aggregated discovery is not offered: a client that asks for it falls back, as
// it does with a server that is too old.
func discoveryDocuments(resources []*resource) map[string][]byte {
	docs := map[string][]byte{
		"version": document(version.Info{Major: "1", Minor: "37", GitVersion: "v1.37.2",
			GitTreeState: "clean", GoVersion: "go1.26", Compiler: "gc", Platform: "linux/amd64"}),
	}
	lists := map[string]*metav1.APIResourceList{}
	var groups []metav1.APIGroup
	for _, r := range resources {
		if r.Internal {
			continue
		}
		list := lists[r.apiVersion]
		if list == nil {
			list = &metav1.APIResourceList{
				TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
				GroupVersion: r.apiVersion,
			}
			lists[r.apiVersion] = list
			groups = addVersion(groups, r)
		}
		list.APIResources = append(list.APIResources, apiResources(r)...)
	}
	for gv, list := range lists {
		docs[listPath(gv)] = document(list)
	}
	docs["api"] = document(metav1.APIVersions{
		TypeMeta: metav1.TypeMeta{Kind: "APIVersions"},
		Versions: []string{"v1"},
	})
	docs["apis"] = document(metav1.APIGroupList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
		Groups:   groups,
	})
	for _, g := range groups {
		g.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		docs["apis/"+g.Name] = document(g)
	}
	return docs
}

func listPath(groupVersion string) string {
	if groupVersion == "v1" {
		return "api/v1"
	}
	return "apis/" + groupVersion
}

// addVersion adds r's version to its group. The core group is in no list of
// groups; the first version of a group is the preferred one.
func addVersion(groups []metav1.APIGroup, r *resource) []metav1.APIGroup {
	if r.Group == "" {
		return groups
	}
	v := metav1.GroupVersionForDiscovery{GroupVersion: r.apiVersion, Version: r.Version}
	i := slices.IndexFunc(groups, func(g metav1.APIGroup) bool { return g.Name == r.Group })
	if i < 0 {
		return append(groups, metav1.APIGroup{Name: r.Group, PreferredVersion: v,
			Versions: []metav1.GroupVersionForDiscovery{v}})
	}
	groups[i].Versions = append(groups[i].Versions, v)
	return groups
}

func apiResources(r *resource) []metav1.APIResource {
	all := []metav1.APIResource{{
		Name: r.Plural, SingularName: r.Singular, Namespaced: r.Namespaced, Kind: r.Kind,
		Verbs: allVerbs, ShortNames: r.ShortNames,
	}}
	for _, sub := range r.subresources() {
		all = append(all, metav1.APIResource{
			Name: r.Plural + "/" + sub.name, Namespaced: r.Namespaced, Kind: sub.kind(r), Verbs: sub.verbs,
			Group: sub.group, Version: sub.inside,
		})
	}
	return all
}

// A subresource is one endpoint below an object.
type subresource struct {
	name   string
	group  string // of the body, and its version
	inside string
	ofKind string // of the body; empty for the object's own kind
	verbs  metav1.Verbs
}

func (s subresource) kind(r *resource) string {
	if s.ofKind != "" {
		return s.ofKind
	}
	return r.Kind
}

func (r *resource) subresources() []subresource {
	var all []subresource
	if r.Group == "" && r.Kind == "Pod" {
		all = append(all, subresource{name: "binding", ofKind: "Binding", verbs: metav1.Verbs{"create"}},
			subresource{name: "eviction", group: "policy", inside: "v1", ofKind: "Eviction", verbs: metav1.Verbs{"create"}})
	}
	if r.Status {
		all = append(all, subresource{name: "status", verbs: metav1.Verbs{"get", "patch", "update"}})
	}
	return all
}

func document(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("apiserver: encoding a discovery document: %v", err))
	}
	return data
}
