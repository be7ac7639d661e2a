package v1alpha2

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

func crd(t *testing.T, plural string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := os.ReadFile("../../../../fixtures/crds/" + GroupVersion.Group + "_" + plural + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCRDs: the definitions name the kinds as the types do, and have their fields,
// each below its own name, all the way down.
func TestCRDs(t *testing.T) {
	for _, c := range []struct {
		plural, kind string
		scope        apiextensionsv1.ResourceScope
		obj          runtime.Object
	}{
		{VirtualMachineResource, VirtualMachineKind, apiextensionsv1.NamespaceScoped, &VirtualMachine{}},
		{VirtualMachineClassResource, VirtualMachineClassKind, apiextensionsv1.ClusterScoped, &VirtualMachineClass{}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			def := crd(t, c.plural)
			version := def.Spec.Versions[0]
			got := []any{def.Spec.Group, def.Spec.Names.Plural, def.Spec.Names.Kind, def.Spec.Scope, version.Name, version.Subresources != nil && version.Subresources.Status != nil}
			want := []any{GroupVersion.Group, c.plural, c.kind, c.scope, GroupVersion.Version, true}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("names, scope, version, status subresource (-want +got):\n%s", diff)
			}
			sameFields(t, c.kind, version.Schema.OpenAPIV3Schema, reflect.TypeOf(c.obj).Elem())
		})
	}
}

// leaves are types that the schema does not take apart as Go does.
var leaves = []reflect.Type{reflect.TypeFor[metav1.ObjectMeta](), reflect.TypeFor[metav1.Time](), reflect.TypeFor[resource.Quantity]()}

// sameFields compares the properties of a schema with the JSON fields of a type.
func sameFields(t *testing.T, path string, schema *apiextensionsv1.JSONSchemaProps, typ reflect.Type) {
	t.Helper()
	switch {
	case slices.Contains(leaves, typ):
		return
	case typ.Kind() == reflect.Pointer:
		sameFields(t, path, schema, typ.Elem())
		return
	case typ.Kind() == reflect.Slice:
		sameFields(t, path+"[]", schema.Items.Schema, typ.Elem())
		return
	case typ.Kind() != reflect.Struct || schema.XIntOrString:
		return
	}
	if len(schema.Properties) == 0 {
		t.Errorf("%s: no properties in the CRD", path)
		return
	}
	var want, got []string
	fields := jsonFields(typ)
	for name := range fields {
		want = append(want, name)
	}
	for name := range schema.Properties {
		got = append(got, name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: fields of the Go type and of the CRD (-Go +CRD):\n%s", path, diff)
		return
	}
	for _, name := range want {
		property := schema.Properties[name]
		sameFields(t, path+"."+name, &property, fields[name])
	}
}

// jsonFields are the types of the fields by their names in JSON.
func jsonFields(typ reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for f := range typ.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && (f.Anonymous || strings.Contains(options, "inline")) {
			for inner, innerType := range jsonFields(f.Type) {
				fields[inner] = innerType
			}
			continue
		}
		fields[name] = f.Type
	}
	return fields
}

// TestRunPolicies: the CRD takes the policies that the controller knows.
func TestRunPolicies(t *testing.T) {
	spec := crd(t, VirtualMachineResource).Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	policy := spec.Properties["runPolicy"]
	var got []RunPolicy
	for _, raw := range policy.Enum {
		var p RunPolicy
		if err := json.Unmarshal(raw.Raw, &p); err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	want := []RunPolicy{AlwaysOnPolicy, AlwaysOffPolicy, ManualPolicy, AlwaysOnUnlessStoppedManually}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("run policies (-want +got):\n%s", diff)
	}
	if string(policy.Default.Raw) != `"AlwaysOnUnlessStoppedManually"` {
		t.Errorf("the default is %s, want AlwaysOnUnlessStoppedManually", policy.Default.Raw)
	}
}

// TestScheme: the types are registered, and deep copies are deep.
func TestScheme(t *testing.T) {
	s := runtime.NewScheme()
	if err := AddToScheme(s); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{VirtualMachineKind, VirtualMachineKind + "List", VirtualMachineClassKind, VirtualMachineClassKind + "List"} {
		if _, err := s.New(GroupVersion.WithKind(kind)); err != nil {
			t.Error(err)
		}
	}
	vm := &VirtualMachine{Spec: VirtualMachineSpec{NodeSelector: map[string]string{"a": "b"}}}
	other := vm.DeepCopy()
	other.Spec.NodeSelector["a"] = "c"
	if vm.Spec.NodeSelector["a"] != "b" {
		t.Error("the copy shares its node selector")
	}
}
