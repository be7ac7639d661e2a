package apiserver

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"pgregory.net/rapid"

	"github.com/vmreplay/vmreplay/sim/engine"
)

func TestDescribe(t *testing.T) {
	const pods = "/api/v1/namespaces/default/pods"
	pod := func(verb, name, subresource string) engine.RequestInfo {
		return engine.RequestInfo{Verb: verb, Kind: "Pod", Namespace: "default", Name: name, Subresource: subresource}
	}
	for _, tc := range []struct {
		name, method, path, body string
		want                     engine.RequestInfo
	}{
		{"get", "GET", pods + "/a", "", pod("get", "a", "")},
		{"list", "GET", pods, "", pod("list", "", "")},
		{"list of all namespaces", "GET", "/api/v1/pods?limit=500", "", engine.RequestInfo{Verb: "list", Kind: "Pod"}},
		{"watch", "GET", pods + "?watch=true&resourceVersion=5", "", pod("watch", "", "")},
		{"watch of one object", "GET", pods + "?fieldSelector=metadata.name%3Da&watch=1", "", pod("watch", "a", "")},
		{"list of one node's pods", "GET", pods + "?fieldSelector=spec.nodeName%3Da", "", pod("list", "", "")},
		{"create", "POST", pods, `{"kind":"Pod", "spec":{"name":"no"},"metadata": {"labels":{"name":"no"}, "name" : "a"}}`, pod("create", "a", "")},
		{"create with escapes", "POST", pods, `{"metadata":{"x":"\"{","name":"\u0061"}}`, pod("create", "a", "")},
		{"create with a generated name", "POST", pods, `{"metadata":{"generateName":"a-"}}`, pod("create", "", "")},
		{"create from nonsense", "POST", pods, `{"metadata":{"name`, pod("create", "", "")},
		{"create a binding", "POST", pods + "/a/binding", "{}", pod("create", "a", "binding")},
		{"update", "PUT", pods + "/a/status", "{}", pod("update", "a", "status")},
		{"patch", "PATCH", pods + "/a", "{}", pod("patch", "a", "")},
		{"delete", "DELETE", pods + "/a", "", pod("delete", "a", "")},
		{"delete all", "DELETE", pods, "", pod("deletecollection", "", "")},
		{"a namespace", "GET", "/api/v1/namespaces/default", "", engine.RequestInfo{Verb: "get", Kind: "Namespace", Name: "default"}},
		{"status of a namespace", "GET", "/api/v1/namespaces/default/status", "", engine.RequestInfo{Verb: "get", Kind: "Namespace", Name: "default", Subresource: "status"}},
		{"a node", "PATCH", "/api/v1/nodes/node%2Da", "", engine.RequestInfo{Verb: "patch", Kind: "Node", Name: "node-a"}},
		{"discovery", "GET", "/apis/kubevirt.io/v1?timeout=32s", "", engine.RequestInfo{Verb: "get"}},
		{"nowhere", "GET", "/x//y", "", engine.RequestInfo{Verb: "get"}},
		{"bad query", "GET", pods + "?watch=%zz", "", pod("list", "", "")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _ := newTestServer(t)
			got := s.Describe(&engine.Request{Method: tc.method, Path: tc.path, Body: []byte(tc.body)})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s.Version() != 1 {
				t.Error("Describe executed the request")
			}
		})
	}
}

func TestDescribeProtobuf(t *testing.T) {
	s, _ := newTestServer(t)
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	encoder := scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion)
	body, err := runtime.Encode(encoder, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"name": "no"}}})
	if err != nil {
		t.Fatal(err)
	}
	got := s.Describe(&engine.Request{Method: "POST", Path: "/api/v1/namespaces/default/pods", Body: body})
	if got.Name != "a" || got.Verb != "create" {
		t.Errorf("want create of a, got %+v", got)
	}
}

// The quick look into a body finds what decoding it finds.
func TestBodyNameAgreesWithDecoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := jsonObject(t, "body", 3, true)
		meta := jsonObject(t, "metadata", 3, true)
		if rapid.Bool().Draw(t, "named") {
			meta["name"] = rapid.String().Draw(t, "name")
		}
		body["metadata"] = meta
		encoded, err := json.MarshalIndent(body, "", rapid.SampledFrom([]string{"", " ", "\t\n"}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := decodeObject(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := jsonName(encoded), text(child(decoded, "metadata"), "name"); got != want {
			t.Fatalf("want %q, got %q: %s", want, got, encoded)
		}
	})
}
