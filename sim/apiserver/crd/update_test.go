package crd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/apiserver/crd"
	"github.com/vmreplay/vmreplay/sim/engine"
)

const gadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  names: {kind: Gadget, plural: gadgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, default: 3, maximum: 9}
              color: {type: string, enum: [red, green]}
          status:
            type: object
            default: {phase: New}
            properties:
              phase: {type: string, enum: [New, Old]}
              seen: {type: integer, maximum: 9}
`

// withGadget is a server with the gadget g.
func withGadget(resources []apiserver.Resource, content string) *apiserver.Server {
	s := apiserver.New(apiserver.Options{Seed: 1, Resources: resources})
	s.Serve(&engine.Request{Method: http.MethodPost, Path: "/apis/example.com/v1/namespaces/default/gadgets",
		Body: fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g"}%s}`, content)})
	return s
}

// update puts the gadget, as it is now but for the content; subresource is "" or
// "/status".
func update(s *apiserver.Server, subresource, content string) *engine.Response {
	path := "/apis/example.com/v1/namespaces/default/gadgets/g"
	var now struct{ Metadata metav1.ObjectMeta }
	// What is no JSON has no version, and then the update is refused.
	_ = json.Unmarshal(s.Serve(&engine.Request{Method: http.MethodGet, Path: path}).Body, &now)
	return s.Serve(&engine.Request{Method: http.MethodPut, Path: path + subresource,
		Body: fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g","resourceVersion":%q}%s}`,
			now.Metadata.ResourceVersion, content)})
}

func readGadgets(t *testing.T) []apiserver.Resource {
	t.Helper()
	resources, err := crd.Read([]byte(gadgets))
	if err != nil {
		t.Fatal(err)
	}
	return resources
}

// An endpoint judges what it can change, and nothing else.
func TestUpdates(t *testing.T) {
	for _, tc := range []struct {
		name, subresource, content string
		code                       int
		want                       string // a part of the answer
	}{
		{"the spec", "", `,"spec":{"size":4}`, http.StatusOK, `"spec":{"size":4},"status":{"phase":"Old"}`},
		{"defaults of the spec", "", `,"spec":{}`, http.StatusOK, `"spec":{"size":3},"status":{"phase":"Old"}`},
		{"a wrong spec", "", `,"spec":{"size":10}`, http.StatusUnprocessableEntity, "spec.size: Invalid value"},
		{"a wrong status beside the spec", "", `,"spec":{"size":4},"status":{"phase":"Lost"}`, http.StatusOK, `"spec":{"size":4},"status":{"phase":"Old"}`},
		{"the status", "/status", `,"status":{"phase":"New","seen":2}`, http.StatusOK, `"spec":{"color":"red","size":3},"status":{"phase":"New","seen":2}`},
		{"defaults of the status", "/status", ``, http.StatusOK, `"status":{"phase":"New"}`},
		{"an unknown field of the status", "/status", `,"status":{"phase":"Old","weight":2}`, http.StatusOK, `"status":{"phase":"Old"}`},
		{"a wrong status", "/status", `,"status":{"phase":"Lost"}`, http.StatusUnprocessableEntity, `status.phase: Unsupported value: \"Lost\"`},
		{"a wrong spec beside the status", "/status", `,"spec":{"size":10},"status":{"seen":5}`, http.StatusOK, `"spec":{"color":"red","size":3},"status":{"seen":5}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := withGadget(readGadgets(t), `,"spec":{"color":"red"}`)
			update(s, "/status", `,"status":{"phase":"Old"}`)
			for range 2 { // the second time, the value is known
				got := update(s, tc.subresource, tc.content)
				if got.Status != tc.code || !strings.Contains(string(got.Body), tc.want) {
					t.Errorf("want %d with %q, got %d %s", tc.code, tc.want, got.Status, got.Body)
				}
			}
		})
	}
}

// What other runs wrote before changes no answer.
func TestSchemasRememberNothingThatMatters(t *testing.T) {
	used := readGadgets(t)
	rapid.Check(t, func(r *rapid.T) {
		shared, fresh := withGadget(used, ""), withGadget(readGadgets(t), "")
		for range 8 {
			subresource := rapid.SampledFrom([]string{"", "/status"}).Draw(r, "subresource")
			content := fmt.Sprintf(`,"spec":{"size":%d,"color":%q},"status":{"phase":%q,"seen":%d}`,
				rapid.IntRange(8, 11).Draw(r, "size"), rapid.SampledFrom([]string{"red", "blue"}).Draw(r, "color"),
				rapid.SampledFrom([]string{"New", "Lost"}).Draw(r, "phase"), rapid.IntRange(8, 11).Draw(r, "seen"))
			want := update(fresh, subresource, content)
			got := update(shared, subresource, content)
			if diff := cmp.Diff(string(want.Body), string(got.Body)); diff != "" {
				r.Fatalf("the answer of a server whose schema was used before differs (-fresh +used):\n%s", diff)
			}
		}
	})
}
