package crd_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/apiserver/crd"
	"github.com/vmreplay/vmreplay/sim/engine"
)

func TestKubeVirt(t *testing.T) {
	defined, err := crd.ReadFolder("../../../fixtures/crds/kubevirt")
	if err != nil {
		t.Fatal(err)
	}
	status := map[string]bool{}
	for _, r := range crd.Merge(apiserver.KubeVirt(), defined) {
		status[r.Kind] = r.Status
		if r.New == nil || r.Schema == nil {
			t.Errorf("%s: want a Go type and a schema, found %v and %v", r.Kind, r.New != nil, r.Schema != nil)
		}
	}
	want := map[string]bool{"VirtualMachine": true, "VirtualMachineInstance": false, "VirtualMachineInstanceMigration": true}
	if diff := cmp.Diff(want, status); diff != "" {
		t.Errorf("status subresources (-want +got):\n%s", diff)
	}
}

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations: [{rule: "self.size < 10", message: too big}]
            properties:
              size: {type: integer, default: 3}
              color: {type: string, enum: [red, green]}
`

func TestRequests(t *testing.T) {
	resources, err := crd.Read([]byte(widgets))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, spec string
		code       int
		want       string // a part of the answer
	}{
		{"defaults", `{}`, http.StatusCreated, `"spec":{"size":3}`},
		{"unknown fields are dropped", `{"weight":1}`, http.StatusCreated, `"spec":{"size":3}`},
		{"types", `{"size":"a"}`, http.StatusUnprocessableEntity, "spec.size: Invalid value"},
		{"enumerations", `{"color":"blue"}`, http.StatusUnprocessableEntity, `spec.color: Unsupported value: \"blue\"`},
		{"rules in CEL", `{"size":12}`, http.StatusUnprocessableEntity, "too big"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := apiserver.New(apiserver.Options{Seed: 1, Resources: resources})
			got := s.Serve(&engine.Request{Method: http.MethodPost, Path: "/apis/example.com/v1/namespaces/default/widgets",
				Body: fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":%s}`, tc.spec)})
			if got.Status != tc.code || !strings.Contains(string(got.Body), tc.want) {
				t.Errorf("want %d with %q, got %d %s", tc.code, tc.want, got.Status, got.Body)
			}
		})
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"another kind", "{apiVersion: v1, kind: Pod}", `want a CustomResourceDefinition of apiextensions.k8s.io/v1, found "Pod" of "v1"`},
		{"no YAML", "{", "decoding a CustomResourceDefinition"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := crd.Read([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("want an error with %q, got %v", tc.want, err)
			}
		})
	}
}
