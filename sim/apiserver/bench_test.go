package apiserver

import (
	"fmt"
	"testing"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// benchPod has the size of a small virt-launcher pod.
const benchPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"virt-launcher-vm-%d","namespace":"default",
"labels":{"kubevirt.io":"virt-launcher","kubevirt.io/created-by":"8f6f3d3c-5ab5-4c3e-9d2c-1f2b7b0f2a11","vm.kubevirt.io/name":"vm"},
"annotations":{"kubevirt.io/domain":"vm","kubevirt.io/migrationJobUID":"6a1c8a0e-64b4-4a4b-a9b4-0e9f6d8f7c11"},
"ownerReferences":[{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachineInstance","name":"vm","uid":"8f6f3d3c-5ab5-4c3e-9d2c-1f2b7b0f2a11","controller":true}]},
"spec":{"nodeName":"node-a","containers":[{"name":"compute","image":"virt-launcher:v1.8.0","resources":{"requests":{"cpu":"1","memory":"2Gi"},"limits":{"memory":"2Gi"}}}],
"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}}}},
"status":{"phase":"Running"}}`

func benchServer(b *testing.B, pods int) *Server {
	b.Helper()
	s := New(Options{Clock: &testClock{}, Seed: 1})
	for i := range pods {
		if _, err := s.Load(object(b, fmt.Sprintf(benchPod, i))); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

func BenchmarkNew(b *testing.B) {
	resources := append(Builtin(), KubeVirt()...)
	b.ReportAllocs()
	for b.Loop() {
		New(Options{Seed: 1, Resources: resources})
	}
}

func BenchmarkDescribe(b *testing.B) {
	s := benchServer(b, 1)
	r := &engine.Request{Method: "GET", Path: "/api/v1/namespaces/default/pods/virt-launcher-vm-0"}
	b.ReportAllocs()
	for b.Loop() {
		s.Describe(r)
	}
}

func BenchmarkGet(b *testing.B) {
	s := benchServer(b, 10)
	r := &engine.Request{Method: "GET", Path: "/api/v1/namespaces/default/pods/virt-launcher-vm-0"}
	b.ReportAllocs()
	for b.Loop() {
		if s.Serve(r).Status != 200 {
			b.Fatal("want 200")
		}
	}
}

func BenchmarkList(b *testing.B) {
	s := benchServer(b, 10)
	r := &engine.Request{Method: "GET", Path: "/api/v1/namespaces/default/pods?resourceVersion=0"}
	b.ReportAllocs()
	for b.Loop() {
		if s.Serve(r).Status != 200 {
			b.Fatal("want 200")
		}
	}
}

func BenchmarkStatusPatch(b *testing.B) {
	s := benchServer(b, 1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r := &engine.Request{Method: "PATCH", Path: "/api/v1/namespaces/default/pods/virt-launcher-vm-0/status",
			Header: map[string]string{"Content-Type": "application/merge-patch+json"},
			Body:   fmt.Appendf(nil, `{"status":{"podIP":"10.0.0.%d"}}`, i%250)}
		if got := s.Serve(r); got.Status != 200 {
			b.Fatalf("%s", got.Body)
		}
	}
}

func BenchmarkJSONPatch(b *testing.B) {
	s := benchServer(b, 1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r := &engine.Request{Method: "PATCH", Path: "/api/v1/namespaces/default/pods/virt-launcher-vm-0",
			Header: map[string]string{"Content-Type": "application/json-patch+json"},
			Body:   fmt.Appendf(nil, `[{"op":"add","path":"/metadata/labels/n","value":"%d"}]`, i)}
		if got := s.Serve(r); got.Status != 200 {
			b.Fatalf("%s", got.Body)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	s := benchServer(b, 1)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r := &engine.Request{Method: "PUT", Path: "/api/v1/namespaces/default/pods/virt-launcher-vm-0/status",
			Body: fmt.Appendf(nil, benchPod, 0)}
		r.Body = append(r.Body[:len(r.Body)-2], fmt.Sprintf(`,"podIP":"10.0.0.%d"}}`, i%250)...)
		if got := s.Serve(r); got.Status != 200 {
			b.Fatalf("%s", got.Body)
		}
	}
}

func BenchmarkCreateDelete(b *testing.B) {
	s := benchServer(b, 0)
	body := fmt.Appendf(nil, benchPod, 0)
	b.ReportAllocs()
	for b.Loop() {
		created := s.Serve(&engine.Request{Method: "POST", Path: "/api/v1/namespaces/default/pods", Body: body})
		deleted := s.Serve(&engine.Request{Method: "DELETE", Path: "/api/v1/namespaces/default/pods/virt-launcher-vm-0?gracePeriodSeconds=0"})
		if created.Status != 201 || deleted.Status != 200 {
			b.Fatalf("%s%s", created.Body, deleted.Body)
		}
	}
}

// BenchmarkWatchFrame is a write and the frame that three watches send of it.
func BenchmarkWatchFrame(b *testing.B) {
	s := benchServer(b, 1)
	size := 0
	for range 3 {
		w, err := s.Watch("Pod", WatchOptions{ResourceVersion: "0"})
		if err != nil {
			b.Fatal(err)
		}
		w.Open(func(e engine.Event) { size += len(e.Frame()) })
	}
	patches := [][]byte{[]byte(`{"metadata":{"labels":{"a":"1"}}}`), []byte(`{"metadata":{"labels":{"a":"2"}}}`)}
	ref := engine.Ref{Kind: "Pod", Namespace: "default", Name: "virt-launcher-vm-0"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := s.Patch(ref, "application/merge-patch+json", patches[i%2], ""); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTypedView is what a stand-in pays for the first look at a revision.
func BenchmarkTypedView(b *testing.B) {
	s := benchServer(b, 1)
	o := s.List("Pod", "")[0]
	b.ReportAllocs()
	for b.Loop() {
		o.typed = nil
		if _, err := o.decode(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad is one fixture, loaded into a new server for every run.
func BenchmarkLoad(b *testing.B) {
	content := object(b, fmt.Sprintf(benchPod, 0))
	b.ReportAllocs()
	for b.Loop() {
		s := New(Options{Seed: 1})
		if _, err := s.Load(content); err != nil {
			b.Fatal(err)
		}
	}
}
