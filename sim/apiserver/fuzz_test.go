package apiserver

import (
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// FuzzServe sends one arbitrary request to a small world: whatever comes, the
// server does not panic, answers failures with a Status, and stays in order.
func FuzzServe(f *testing.F) {
	for _, seed := range [][4]string{
		{"GET", "/api/v1/namespaces/default/pods/a", "", ""},
		{"GET", "/api/v1/pods?limit=1&labelSelector=a%3Db&continue=x", "", ""},
		{"GET", "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", "", ""},
		{"POST", "/api/v1/namespaces/default/pods", "application/json", `{"metadata":{"generateName":"p-","labels":{"a":"b"}},"spec":{"containers":[]}}`},
		{"POST", "/api/v1/namespaces/default/pods", "application/vnd.kubernetes.protobuf", "k8s\x00\n\t\n\x02v1\x12\x03Pod\x12\x05\n\x03\n\x01x"},
		{"POST", "/api/v1/namespaces/default/configmaps", "application/yaml", "metadata: {name: c}\ndata: {a: b}\n"},
		{"POST", "/api/v1/namespaces/default/pods/a/binding", "application/json", `{"target":{"name":"n"}}`},
		{"PUT", "/apis/kubevirt.io/v1/namespaces/default/virtualmachines/vm/status", "application/json", `{"metadata":{"name":"vm","resourceVersion":"3"},"status":{}}`},
		{"PATCH", "/apis/kubevirt.io/v1/namespaces/default/virtualmachines/vm", "application/merge-patch+json", `{"metadata":null}`},
		{"PATCH", "/apis/kubevirt.io/v1/namespaces/default/virtualmachines/vm", "application/json-patch+json", `[{"op":"move","from":"/metadata","path":"/spec"}]`},
		{"DELETE", "/api/v1/namespaces/default/pods/a?gracePeriodSeconds=5", "application/json", `{"preconditions":{"uid":"x"}}`},
		{"DELETE", "/api/v1/namespaces/default/pods", "", ""},
		{"GET", "/apis/kubevirt.io/v1", "", ""},
		{"GET", "/api/v1/namespaces/%2F/pods/%zz", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], []byte(seed[3]))
	}
	f.Fuzz(func(t *testing.T, method, path, contentType string, body []byte) {
		s := New(Options{Seed: 1})
		mustCreate(t, s, "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, labels: {a: b}}}")
		mustCreate(t, s, "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: vm, namespace: default}}")
		version := s.Version()
		r := &engine.Request{Method: method, Path: path, Body: body, Header: map[string]string{"Content-Type": contentType}}
		s.Describe(r)
		got := s.Serve(r)
		if got.Watch != nil {
			got.Watch.Open(func(e engine.Event) { checkJSONBytes(t, e.Frame()) })
			got.Watch.Close()
			return
		}
		if got.Status >= 400 {
			var status metav1.Status
			if err := json.Unmarshal(got.Body, &status); err != nil || status.Kind != "Status" || int(status.Code) != got.Status {
				t.Fatalf("want a Status of code %d, got %s (%v)", got.Status, got.Body, err)
			}
			if s.Version() != version && method != "DELETE" {
				t.Fatalf("a failed request wrote something: %s", got.Body)
			}
			return
		}
		if got.Header["Content-Type"] == "application/json" {
			checkJSONBytes(t, got.Body)
		}
		for _, res := range s.catalog.resources {
			for _, o := range s.List(res.Kind, "") {
				checkJSONBytes(t, o.JSON())
			}
		}
	})
}

func checkJSONBytes(t *testing.T, data []byte) {
	t.Helper()
	if !json.Valid(data) {
		t.Fatalf("no JSON: %q", data)
	}
}
