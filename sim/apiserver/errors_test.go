package apiserver

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmreplay/vmreplay/sim/engine"
)

const errorsWorld = `
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: default}
`

func TestFailures(t *testing.T) {
	const pods, pod = "/api/v1/namespaces/default/pods", "/api/v1/namespaces/default/pods/a"
	const vms = "/apis/kubevirt.io/v1/namespaces/default/virtualmachines"
	for _, tc := range []struct {
		name, method, path, contentType, body string

		code    int32
		reason  metav1.StatusReason
		message string
	}{
		{"absent object", "GET", pods + "/x", "", "", 404, "NotFound", `pods "x" not found`},
		{"absent custom object", "GET", vms + "/x", "", "", 404, "NotFound", `virtualmachines.kubevirt.io "x" not found`},
		{"absent object, deletion", "DELETE", pods + "/x", "", "", 404, "NotFound", `pods "x" not found`},
		{"absent object, patch", "PATCH", pods + "/x", "application/merge-patch+json", "{}", 404, "NotFound", `pods "x" not found`},
		{"unknown resource", "GET", "/api/v1/namespaces/default/gizmos", "", "", 404, "NotFound", "the server could not find the requested resource"},
		{"no status subresource", "PATCH", "/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstances/x/status", "application/merge-patch+json", "{}", 404, "NotFound", `virtualmachineinstances.kubevirt.io "x" not found`},
		{"object of a namespaced kind without namespace", "GET", "/api/v1/pods/a", "", "", 404, "NotFound", "the server could not find the requested resource"},
		{"namespace for a cluster-scoped kind", "GET", "/api/v1/namespaces/default/nodes", "", "", 404, "NotFound", "the server could not find the requested resource"},
		{"method of a collection", "PUT", pods, "", "{}", 405, "MethodNotAllowed", "the server does not allow this method on the requested resource"},
		{"creation in all namespaces", "POST", "/api/v1/pods", "", "{}", 405, "MethodNotAllowed", "the server does not allow this method on the requested resource"},
		{"exists", "POST", pods, "", `{"metadata":{"name":"a"}}`, 409, "AlreadyExists", `pods "a" already exists`},
		{"conflict", "PUT", pod, "", `{"metadata":{"name":"a","resourceVersion":"1"}}`, 409, "Conflict",
			`Operation cannot be fulfilled on pods "a": the object has been modified; please apply your changes to the latest version and try again`},
		{"conflict by patch", "PATCH", pod, "application/merge-patch+json", `{"metadata":{"resourceVersion":"1"}}`, 409, "Conflict",
			`Operation cannot be fulfilled on pods "a": the object has been modified; please apply your changes to the latest version and try again`},
		{"uid of an earlier object", "PUT", pod, "", `{"metadata":{"name":"a","uid":"old"}}`, 409, "Conflict",
			`Operation cannot be fulfilled on pods "a": Precondition failed: UID in precondition: old, UID in object meta: 016a9bc2-5e31-43fc-ba92-422d5370c125`},
		{"uid by patch", "PATCH", pod, "application/merge-patch+json", `{"metadata":{"uid":"old"}}`, 422, "Invalid",
			`Pod "a" is invalid: metadata.uid: Invalid value: "old": field is immutable`},
		{"name of another object", "PUT", pod, "", `{"metadata":{"name":"b"}}`, 400, "BadRequest",
			"the name of the object (b) does not match the name on the URL (a)"},
		{"namespace of another object", "POST", pods, "", `{"metadata":{"name":"b","namespace":"other"}}`, 400, "BadRequest",
			"the namespace of the provided object does not match the namespace sent on the request"},
		{"no name", "POST", pods, "", `{}`, 422, "Invalid", `Pod "" is invalid: metadata.name: Required value: name or generateName is required`},
		{"version of another object", "POST", pods, "", `{"apiVersion":"v2","metadata":{"name":"b"}}`, 400, "BadRequest",
			"the API version in the data (v2) does not match the expected API version (v1)"},
		{"resourceVersion at creation", "POST", pods, "", `{"metadata":{"name":"b","resourceVersion":"5"}}`, 500, "",
			"resourceVersion should not be set on objects to be created"},
		{"no JSON", "POST", pods, "", `{`, 400, "BadRequest", "error decoding the body as JSON: unexpected end of JSON input"},
		{"CBOR", "POST", pods, "application/cbor", `x`, 415, "UnsupportedMediaType",
			"the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{"protobuf for a custom resource", "POST", vms, "application/vnd.kubernetes.protobuf", `x`, 415, "UnsupportedMediaType",
			"the body of the request was in an unknown format - accepted media types include: application/json, application/yaml"},
		{"strategic merge patch of a custom resource", "PATCH", vms + "/vm", "application/strategic-merge-patch+json", `{}`, 415, "UnsupportedMediaType",
			"the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"},
		{"unknown patch", "PATCH", pod, "application/patch", `{}`, 415, "UnsupportedMediaType", "415: Unsupported Media Type"},
		{"apply patch without a manager", "PATCH", pod, "application/apply-patch+yaml", `{}`, 422, "Invalid",
			`PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch`},
		{"failed test of a JSON patch", "PATCH", pod, "application/json-patch+json", `[{"op":"test","path":"/metadata/name","value":"b"}]`, 422, "Invalid",
			"the server rejected our request due to an error in our request"},
		{"field selector of a pod", "GET", pods + "?fieldSelector=spec.color%3Dred", "", "", 400, "BadRequest", "field label not supported: spec.color"},
		{"field selector of a config map", "GET", "/api/v1/configmaps?fieldSelector=data.x%3Dy", "", "", 400, "BadRequest",
			`"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"`},
		{"field selector of a custom resource", "GET", vms + "?watch=1&fieldSelector=status.phase%3Dx", "", "", 400, "BadRequest", "field label not supported: status.phase"},
		{"version from the future", "GET", pods + "?resourceVersion=99", "", "", 504, "Timeout", "Timeout: Too large resource version: 99, current: 2"},
		{"watch list from the future", "GET", pods + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99", "", "", 504, "Timeout",
			"Timeout: Too large resource version: 99, current: 2"},
		{"initial events of a list", "GET", pods + "?sendInitialEvents=true", "", "", 422, "Invalid",
			`ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`},
		{"initial events without match", "GET", pods + "?watch=true&sendInitialEvents=true", "", "", 422, "Invalid",
			`ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`},
		{"continue of nothing", "GET", pods + "?limit=1&continue=e30", "", "", 400, "BadRequest", `invalid continue token: continue key is not valid: "e30"`},
		{"guarded update without version", "PUT", vms + "/vm", "", `{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"vm"}}`, 422, "Invalid",
			`virtualmachines.kubevirt.io "vm" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`},
		{"nodeName by update", "PATCH", pod, "application/merge-patch+json", `{"spec":{"nodeName":"n"}}`, 422, "Invalid",
			`Pod "a" is invalid: spec: Forbidden: ` + podSpecRule},
		{"bad label", "PATCH", pod, "application/merge-patch+json", `{"metadata":{"labels":{"a":7}}}`, 400, "BadRequest",
			`metadata.labels["a"]: want a string, found int64`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _ := newTestServer(t)
			mustCreate(t, s, errorsWorld)
			if tc.path == vms+"/vm" {
				mustCreate(t, s, "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: vm, namespace: default}}")
			}
			got := s.Serve(&engine.Request{Method: tc.method, Path: tc.path, Body: []byte(tc.body),
				Header: map[string]string{"Content-Type": tc.contentType}})
			var status metav1.Status
			if err := json.Unmarshal(got.Body, &status); err != nil {
				t.Fatalf("the answer is no Status: %v: %s", err, got.Body)
			}
			want := metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
				Status: "Failure", Code: tc.code, Reason: tc.reason, Message: tc.message, Details: status.Details}
			if diff := cmp.Diff(want, status); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			if got.Status != int(tc.code) || got.Reason != string(tc.reason) {
				t.Errorf("want %d %q, got %d %q", tc.code, tc.reason, got.Status, got.Reason)
			}
		})
	}
}

func TestFailureDetails(t *testing.T) {
	s, _ := newTestServer(t)
	got := do(s, "GET", "/apis/kubevirt.io/v1/namespaces/default/virtualmachines/x", "")
	want := `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"virtualmachines.kubevirt.io \"x\" not found",` +
		`"reason":"NotFound","details":{"name":"x","group":"kubevirt.io","kind":"virtualmachines"},"code":404}` + "\n"
	if diff := cmp.Diff(want, string(got.Body)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}
