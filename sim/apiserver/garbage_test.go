package apiserver

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmreplay/vmreplay/sim/engine"
)

func TestCollectGarbage(t *testing.T) {
	for _, tc := range []struct {
		name   string
		policy metav1.DeletionPropagation
		want   []string // config maps left, with their number of owners
	}{
		{"background", metav1.DeletePropagationBackground, []string{"other 0"}},
		{"foreground", metav1.DeletePropagationForeground, []string{"other 0"}},
		{"orphan", metav1.DeletePropagationOrphan, []string{"other 0", "owned 0"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _ := newTestServer(t)
			owner := mustCreate(t, s, "{apiVersion: v1, kind: ConfigMap, metadata: {name: owner, namespace: default}}")
			mustCreate(t, s, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: owned, namespace: default, "+
				"ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: %s}]}}", owner.UID()))
			mustCreate(t, s, "{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: default}}")
			if err := s.Delete(owner.Ref(), metav1.DeleteOptions{PropagationPolicy: &tc.policy}); err != nil {
				t.Fatal(err)
			}
			rounds := 0
			for s.CollectGarbage() > 0 {
				if rounds++; rounds > 5 {
					t.Fatal("the collector never comes to an end")
				}
			}
			var left []string
			for _, o := range s.List("ConfigMap", "") {
				owners, err := ownerReferences(o.meta())
				if err != nil {
					t.Fatal(err)
				}
				left = append(left, fmt.Sprintf("%s %d", o.Ref().Name, len(owners)))
			}
			if diff := cmp.Diff(tc.want, left); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCountQuota(t *testing.T) {
	s, _ := newTestServer(t)
	quota := mustCreate(t, s, "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: default}, spec: {hard: {pods: '2', requests.cpu: '3'}}}")
	pod := "{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '%d'}}}]}}"
	mustCreate(t, s, fmt.Sprintf(pod, "a", 1))
	used := func() map[string]any {
		o, err := s.Get(quota.Ref())
		if err != nil {
			t.Fatal(err)
		}
		return child(child(o.Content(), "status"), "used")
	}
	if err := s.CountQuota(quota.Ref()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"pods": "1", "requests.cpu": "1"}, used()); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
	_, err := s.Create(object(t, fmt.Sprintf(pod, "b", 4)))
	want := `pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=4, used: requests.cpu=1, limited: requests.cpu=3`
	if err == nil || err.Error() != want {
		t.Errorf("want %q, got %v", want, err)
	}
	mustCreate(t, s, fmt.Sprintf(pod, "c", 1))
	if diff := cmp.Diff(map[string]any{"pods": "2", "requests.cpu": "2"}, used()); diff != "" {
		t.Errorf("charged (-want +got):\n%s", diff)
	}
	if err := s.Delete(engine.Ref{Kind: "Pod", Namespace: "default", Name: "a"}, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.CountQuota(quota.Ref()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"pods": "1", "requests.cpu": "1"}, used()); diff != "" {
		t.Errorf("counted again (-want +got):\n%s", diff)
	}
}
