package apiserver

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// TestKindsOfOneName: two groups may have a kind of the same name.
func TestKindsOfOneName(t *testing.T) {
	other := Resource{Group: "example.com", Version: "v1", Plural: "virtualmachines", Singular: "virtualmachine",
		Kind: "VirtualMachine", Key: "ExampleVirtualMachine", Namespaced: true}
	s := New(Options{Resources: append(KubeVirt(), other)})
	var told []string
	s.Observe(func(c engine.Change) { told = append(told, c.Ref.String()) })
	for _, apiVersion := range []string{"kubevirt.io/v1", "example.com/v1"} {
		content := map[string]any{"apiVersion": apiVersion, "kind": "VirtualMachine", "metadata": map[string]any{"name": "vm", "namespace": "default"}}
		if apiVersion == "kubevirt.io/v1" {
			content["spec"] = map[string]any{"template": map[string]any{}}
		}
		o, err := s.Create(content)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Content()["apiVersion"]; got != apiVersion {
			t.Errorf("want apiVersion %s, got %v", apiVersion, got)
		}
	}
	info := s.Describe(&engine.Request{Method: "GET", Path: "/apis/example.com/v1/namespaces/default/virtualmachines/vm"})
	told = append(told, info.Kind)
	if err := s.Delete(engine.ParseKey("ExampleVirtualMachine", "default/vm"), metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(engine.ParseKey("VirtualMachine", "default/vm")); err != nil {
		t.Errorf("the namesake went too: %v", err)
	}
	want := []string{"VirtualMachine default/vm", "ExampleVirtualMachine default/vm", "ExampleVirtualMachine", "ExampleVirtualMachine default/vm"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
}
