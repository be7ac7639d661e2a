package apiserver

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatusIsolation(t *testing.T) {
	for _, tc := range []struct {
		name, path, gvk string
		subresource     bool
		createKeeps     any   // status after a creation that gives one
		mainChanges     bool  // does a write of the status to the object itself count?
		generation      int64 // after such a write; 0 if it is not kept
	}{
		{"Pod", "/api/v1/namespaces/default/pods", `"apiVersion":"v1","kind":"Pod"`, true, map[string]any{"phase": "Pending", "qosClass": "BestEffort"}, false, 1},
		{"Node", "/api/v1/nodes", `"apiVersion":"v1","kind":"Node"`, true, map[string]any{"phase": "given"}, false, 0},
		{"ConfigMap", "/api/v1/namespaces/default/configmaps", `"apiVersion":"v1","kind":"ConfigMap"`, false, map[string]any{"phase": "given"}, true, 0},
		{"VirtualMachine", "/apis/kubevirt.io/v1/namespaces/default/virtualmachines", `"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine"`, true, nil, false, 1},
		{"VirtualMachineInstance", "/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstances", `"apiVersion":"kubevirt.io/v1","kind":"VirtualMachineInstance"`, false, map[string]any{"phase": "given"}, true, 2},
		{"VirtualMachineInstanceMigration", "/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstancemigrations", `"apiVersion":"kubevirt.io/v1","kind":"VirtualMachineInstanceMigration"`, true, nil, false, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _ := newTestServer(t)
			stored := func() map[string]any { return s.List(tc.name, "")[0].Content() }
			mustServe(t, s, 201, "POST", tc.path, fmt.Sprintf(`{%s,"metadata":{"name":"x"},"status":{"phase":"given"}}`, tc.gvk))
			if diff := cmp.Diff(tc.createKeeps, stored()["status"]); diff != "" {
				t.Errorf("status after creation (-want +got):\n%s", diff)
			}

			mustServe(t, s, 200, "PATCH", tc.path+"/x", `{"status":{"phase":"changed"}}`)
			if changed := text(child(stored(), "status"), "phase") == "changed"; changed != tc.mainChanges {
				t.Errorf("a write of the status to the object itself: want it to count: %v, it did: %v", tc.mainChanges, changed)
			}
			if got, _ := integer(child(stored(), "metadata"), "generation"); got != tc.generation {
				t.Errorf("generation after that: want %d, got %d", tc.generation, got)
			}

			code := 404
			if tc.subresource {
				code = 200
			}
			mustServe(t, s, code, "PATCH", tc.path+"/x/status", `{"spec":{"paused":true},"status":{"phase":"through"}}`)
			mustServe(t, s, code, "GET", tc.path+"/x/status", "")
			if !tc.subresource {
				return
			}
			if got := text(child(stored(), "status"), "phase"); got != "through" {
				t.Errorf("phase after a write to the status subresource: want through, got %q", got)
			}
			if child(stored(), "spec")["paused"] != nil {
				t.Errorf("a write to the status subresource changed the spec: %v", stored()["spec"])
			}
			if got, _ := integer(child(stored(), "metadata"), "generation"); got != tc.generation {
				t.Errorf("generation after a write of the status: want %d, got %d", tc.generation, got)
			}
		})
	}
}

// Labels travel with a status update of a built-in kind, and not with one of a
// custom resource.
func TestMetadataThroughStatus(t *testing.T) {
	for _, tc := range []struct {
		name, path, gvk string
		want            any
	}{
		{"Pod", "/api/v1/namespaces/default/pods", "", map[string]any{"a": "b"}},
		{"VirtualMachine", "/apis/kubevirt.io/v1/namespaces/default/virtualmachines", `"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine",`, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _ := newTestServer(t)
			mustServe(t, s, 201, "POST", tc.path, fmt.Sprintf(`{%s"metadata":{"name":"x"}}`, tc.gvk))
			mustServe(t, s, 200, "PATCH", tc.path+"/x/status", `{"metadata":{"labels":{"a":"b"}},"status":{"n":1}}`)
			if diff := cmp.Diff(tc.want, s.List(tc.name, "")[0].meta()["labels"]); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGeneration(t *testing.T) {
	for _, tc := range []struct {
		name, path, create, patch string
		want                      int64
	}{
		{"spec of a VirtualMachine", "/apis/kubevirt.io/v1/namespaces/default/virtualmachines", `{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"x"}}`, `{"spec":{"running":true}}`, 2},
		{"labels of a VirtualMachine", "/apis/kubevirt.io/v1/namespaces/default/virtualmachines", `{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"x"}}`, `{"metadata":{"labels":{"a":"b"}}}`, 1},
		{"generation itself", "/apis/kubevirt.io/v1/namespaces/default/virtualmachines", `{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"x"}}`, `{"metadata":{"generation":7}}`, 1},
		{"image of a pod", "/api/v1/namespaces/default/pods", `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"a"}]}}`, `{"spec":{"containers":[{"name":"c","image":"b"}]}}`, 2},
		{"the same quantity of a pod in other words", "/api/v1/namespaces/default/pods", `{"metadata":{"name":"x"},"spec":{"overhead":{"cpu":"1"}}}`, `{"spec":{"overhead":{"cpu":"1000m"}}}`, 1},
		{"that of a ConfigMap is not counted", "/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"x","generation":3}}`, `{"data":{"a":"b"}}`, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _ := newTestServer(t)
			mustServe(t, s, 201, "POST", tc.path, tc.create)
			got := mustServe(t, s, 200, "PATCH", tc.path+"/x", tc.patch)
			if n, _ := integer(child(got, "metadata"), "generation"); n != tc.want {
				t.Errorf("want generation %d, got %d", tc.want, n)
			}
		})
	}
}

// mustServe serves a request that must be answered with a code, and gives the
// body decoded.
func mustServe(t testing.TB, s *Server, code int, method, path, body string) map[string]any {
	t.Helper()
	got := do(s, method, path, body)
	if got.Status != code {
		t.Fatalf("%s %s: want %d, got %d: %s", method, path, code, got.Status, got.Body)
	}
	content, err := decodeObject(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
