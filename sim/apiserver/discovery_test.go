package apiserver

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
)

var lspKind = Resource{Group: "ovn.org", Version: "v1", Plural: "logicalswitchports", Singular: "logicalswitchport",
	Kind: "LogicalSwitchPort", Internal: true}

func TestDiscovery(t *testing.T) {
	s := New(Options{Resources: append(append(Builtin(), KubeVirt()...), lspKind)})
	client := discovery.NewDiscoveryClientForConfigOrDie(clientConfig(s))
	version, err := client.ServerVersion()
	if err != nil || version.Minor != "37" {
		t.Errorf("want minor version 37, got %v, %v", version, err)
	}
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, list := range lists {
		for _, r := range list.APIResources {
			names = append(names, list.GroupVersion+" "+r.Name)
		}
	}
	for _, want := range []string{"v1 pods", "v1 pods/status", "v1 pods/binding", "v1 nodes", "apps/v1 controllerrevisions",
		"kubevirt.io/v1 virtualmachines/status", "kubevirt.io/v1 virtualmachineinstances"} {
		if !slices.Contains(names, want) {
			t.Errorf("discovery lacks %s", want)
		}
	}
	if slices.Contains(names, "kubevirt.io/v1 virtualmachineinstances/status") {
		t.Error("VirtualMachineInstance has no status subresource")
	}
	if strings.Contains(strings.Join(names, " "), "logicalswitchport") {
		t.Error("discovery shows an internal kind")
	}
	if ready := do(s, "GET", "/readyz", ""); ready.Status != 200 || string(ready.Body) != "ok" {
		t.Errorf("readyz: %d %s", ready.Status, ready.Body)
	}
}

func TestRESTMapper(t *testing.T) {
	s := New(Options{})
	client := memory.NewMemCacheClient(discovery.NewDiscoveryClientForConfigOrDie(clientConfig(s)))
	mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(client), client, nil)
	for _, tc := range []struct {
		name     string
		resource string
		want     schema.GroupVersionKind
		scope    meta.RESTScopeName
	}{
		{"plural", "pods", schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, meta.RESTScopeNameNamespace},
		{"singular", "node", schema.GroupVersionKind{Version: "v1", Kind: "Node"}, meta.RESTScopeNameRoot},
		{"short", "vmim", schema.GroupVersionKind{Group: "kubevirt.io", Version: "v1", Kind: "VirtualMachineInstanceMigration"}, meta.RESTScopeNameNamespace},
	} {
		t.Run(tc.name, func(t *testing.T) {
			kind, err := mapper.KindFor(schema.GroupVersionResource{Resource: tc.resource})
			if err != nil {
				t.Fatal(err)
			}
			mapping, err := mapper.RESTMapping(kind.GroupKind())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, kind); diff != "" || mapping.Scope.Name() != tc.scope {
				t.Errorf("want scope %s, got %s; kind (-want +got):\n%s", tc.scope, mapping.Scope.Name(), diff)
			}
		})
	}
}

func TestDiscoveryDocuments(t *testing.T) {
	s := New(Options{Resources: KubeVirt()})
	for _, tc := range []struct{ name, path, want string }{
		{"core", "/api", `{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":null}`},
		{"groups", "/apis?timeout=32s", `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"kubevirt.io","versions":[{"groupVersion":"kubevirt.io/v1","version":"v1"}],"preferredVersion":{"groupVersion":"kubevirt.io/v1","version":"v1"}}]}`},
		{"group", "/apis/kubevirt.io/", `{"kind":"APIGroup","apiVersion":"v1","name":"kubevirt.io","versions":[{"groupVersion":"kubevirt.io/v1","version":"v1"}],"preferredVersion":{"groupVersion":"kubevirt.io/v1","version":"v1"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := do(s, "GET", tc.path, ""); got.Status != 200 || string(got.Body) != tc.want {
				t.Errorf("want %s, got %d %s", tc.want, got.Status, got.Body)
			}
		})
	}
	if a, b := New(Options{Resources: KubeVirt()}), New(Options{Resources: KubeVirt()}); a.catalog != b.catalog {
		t.Error("servers of the same resources do not share their tables")
	}
	if a, b := New(Options{Resources: KubeVirt()}), New(Options{Resources: Builtin()}); a.catalog == b.catalog {
		t.Error("servers of different resources share their tables")
	}
}
