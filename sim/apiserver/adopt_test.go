package apiserver_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/engine"
)

func TestAdopt(t *testing.T) {
	pod := func(kind, version string) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": kind,
			"metadata": map[string]any{"name": "a", "namespace": "default", "resourceVersion": version},
			"spec":     map[string]any{"nodeName": "x"}}
	}
	for _, c := range []struct {
		name, kind, version string
		fails               bool
	}{
		{"another server's pod", "Pod", "4711", false},
		{"no version", "Pod", "", true},
		{"a version that is none", "Pod", "new", true},
		{"an unknown kind", "Gizmo", "1", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := apiserver.New(apiserver.Options{})
			before := s.Version()
			o, err := s.Adopt(pod(c.kind, c.version))
			if (err != nil) != c.fails {
				t.Fatalf("want an error: %v, found %v", c.fails, err)
			}
			if s.Version() != before || len(s.List("Pod", "")) > 0 {
				t.Error("an adopted object must not be stored")
			}
			if err != nil {
				return
			}
			found := []any{o.Ref(), o.Version(), apiserver.As[corev1.Pod](o).Spec.NodeName}
			want := []any{engine.Ref{Kind: "Pod", Namespace: "default", Name: "a"}, uint64(4711), "x"}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("ref, version and node (-want +found):\n%s", diff)
			}
		})
	}
}
