package apiserver

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSameSeedSameBytes(t *testing.T) {
	run := func(seed uint64) string {
		s := New(Options{Clock: &testClock{}, Seed: seed})
		var out strings.Builder
		for range 3 {
			for _, r := range [][2]string{
				{"/api/v1/namespaces/default/pods", `{"metadata":{"generateName":"virt-launcher-vm-","labels":{"b":"1","a":"2"}}}`},
				{"/api/v1/namespaces/default/pods", `{"metadata":{"generateName":"other-"}}`},
				{"/apis/kubevirt.io/v1/namespaces/default/virtualmachines", `{"metadata":{"generateName":"vm-"},"spec":{"b":1,"a":{"z":1,"y":2}}}`},
			} {
				out.Write(do(s, "POST", r[0], r[1]).Body)
			}
		}
		out.Write(do(s, "GET", "/api/v1/pods", "").Body)
		return out.String()
	}
	first := run(7)
	for range 20 {
		if diff := cmp.Diff(first, run(7)); diff != "" {
			t.Fatalf("the same seed gave other bytes:\n%s", diff)
		}
	}
	if first == run(8) {
		t.Error("another seed gave the same bytes")
	}
}

// Failures about several things at once name them in one order.
func TestFailuresAreDeterministic(t *testing.T) {
	for _, tc := range []struct{ name, body string }{
		{"invalid labels", `{"metadata":{"name":"a","labels":{"a b":"1","c d":"2","e f":"3","g":"h i"}}}`},
		{"labels of the wrong type", `{"metadata":{"name":"a","labels":{"a":1,"b":true,"c":[]}}}`},
		{"fields of the wrong type", `{"metadata":{"name":"a"},"spec":{"nodeName":1,"nodeSelector":{"a":1,"b":[]},"hostname":{}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var first string
			for i := range 30 {
				s, _ := newTestServer(t)
				got := do(s, "POST", "/api/v1/namespaces/default/pods", tc.body)
				if i == 0 {
					first = string(got.Body)
				}
				if got.Status < 400 || string(got.Body) != first {
					t.Fatalf("want the same failure, got %s and %s", first, got.Body)
				}
			}
		})
	}
}

// Names and UIDs depend on the object, not on what else was written before it.
func TestIdentitySurvivesOtherWrites(t *testing.T) {
	const path, body = "/api/v1/namespaces/default/pods", `{"metadata":{"generateName":"virt-launcher-vm-"}}`
	alone, _ := newTestServer(t)
	busy, _ := newTestServer(t)
	do(busy, "POST", path, `{"metadata":{"generateName":"other-"}}`)
	do(busy, "POST", "/api/v1/nodes", `{"metadata":{"name":"node-a"}}`)
	for range 2 {
		a, b := mustServe(t, alone, 201, "POST", path, body), mustServe(t, busy, 201, "POST", path, body)
		delete(child(a, "metadata"), "resourceVersion")
		delete(child(b, "metadata"), "resourceVersion")
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("(-alone +busy):\n%s", diff)
		}
	}
}

func TestGeneratedNames(t *testing.T) {
	s, _ := newTestServer(t)
	seen := map[string]bool{}
	shape := regexp.MustCompile(`^virt-launcher-vm-[bcdfghjklmnpqrstvwxz2456789]{5}$`)
	uid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for range 50 {
		meta := child(mustServe(t, s, 201, "POST", "/api/v1/namespaces/default/pods", `{"metadata":{"generateName":"virt-launcher-vm-"}}`), "metadata")
		if name := text(meta, "name"); !shape.MatchString(name) || seen[name] {
			t.Errorf("name %q: want a new one that matches %s", name, shape)
		}
		seen[text(meta, "name")] = true
		if !uid.MatchString(text(meta, "uid")) {
			t.Errorf("uid %q: want a UUID of version 4", text(meta, "uid"))
		}
	}
	long := strings.Repeat("x", 100)
	meta := child(mustServe(t, s, 201, "POST", "/api/v1/namespaces/default/pods", `{"metadata":{"generateName":"`+long+`"}}`), "metadata")
	if got := text(meta, "name"); len(got) != 63 || !strings.HasPrefix(got, long[:58]) {
		t.Errorf("a long generateName: want 58 of it and 5 more, got %q", got)
	}
}

// A new object of an old name is another object.
func TestRecreationGetsAnotherUID(t *testing.T) {
	s, _ := newTestServer(t)
	const path = "/api/v1/namespaces/default/pods"
	first := mustServe(t, s, 201, "POST", path, `{"metadata":{"name":"a"}}`)
	mustServe(t, s, 200, "DELETE", path+"/a", "")
	second := mustServe(t, s, 201, "POST", path, `{"metadata":{"name":"a"}}`)
	if text(child(first, "metadata"), "uid") == text(child(second, "metadata"), "uid") {
		t.Error("both have the same uid")
	}
}
