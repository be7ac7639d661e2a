package apiserver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/vmreplay/vmreplay/sim/engine"
)

func TestSelectors(t *testing.T) {
	s, _ := newTestServer(t)
	for _, pod := range []string{
		`{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default, labels: {app: x, tier: front}}, spec: {nodeName: node-a}, status: {phase: Running}}`,
		`{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: default, labels: {app: x}}, spec: {nodeName: node-b}, status: {phase: Pending}}`,
		`{apiVersion: v1, kind: Pod, metadata: {name: c, namespace: other, labels: {app: z}}, status: {phase: Running}}`,
		`{apiVersion: v1, kind: Node, metadata: {name: node-a}, spec: {unschedulable: true}}`,
		`{apiVersion: v1, kind: Node, metadata: {name: node-b}}`,
	} {
		if _, err := s.Load(object(t, pod)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name, path string
		want       string
	}{
		{"all", "/api/v1/pods", "default/a default/b other/c"},
		{"namespace", "/api/v1/namespaces/default/pods", "default/a default/b"},
		{"empty namespace", "/api/v1/namespaces/none/pods", ""},
		{"label", "/api/v1/pods?labelSelector=app%3Dx", "default/a default/b"},
		{"label set", "/api/v1/pods?labelSelector=app+in+(x,z),!tier", "default/b other/c"},
		{"node", "/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-a", "default/a"},
		{"no node", "/api/v1/pods?fieldSelector=spec.nodeName=", "other/c"},
		{"phase and node", "/api/v1/pods?fieldSelector=status.phase%3DRunning,spec.nodeName!%3Dnode-a", "other/c"},
		{"name", "/api/v1/pods?fieldSelector=metadata.name%3Db", "default/b"},
		{"namespace by field", "/api/v1/pods?fieldSelector=metadata.namespace%3Dother", "other/c"},
		{"both", "/api/v1/pods?labelSelector=app%3Dx&fieldSelector=status.phase%3DRunning", "default/a"},
		{"unschedulable nodes", "/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue", "node-a"},
		{"schedulable nodes", "/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse", "node-b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list := mustServe(t, s, 200, "GET", tc.path, "")
			if got := keysOf(list); got != tc.want {
				t.Errorf("want %q, got %q", tc.want, got)
			}
		})
	}
	for _, bad := range []string{"labelSelector=a%3D%3D%3Db", "fieldSelector=a", "limit=x", "labelSelector=%zz"} {
		if got := do(s, "GET", "/api/v1/pods?"+bad, ""); got.Status != 400 {
			t.Errorf("%s: want 400, got %d %s", bad, got.Status, got.Body)
		}
	}
}

func keysOf(list map[string]any) string {
	var keys []string
	items, _ := list["items"].([]any)
	for _, item := range items {
		meta := child(item.(map[string]any), "metadata")
		keys = append(keys, engine.Ref{Namespace: text(meta, "namespace"), Name: text(meta, "name")}.Key())
	}
	return strings.Join(keys, " ")
}

func TestPaging(t *testing.T) {
	s, _ := newTestServer(t)
	pods := kubernetes.NewForConfigOrDie(clientConfig(s)).CoreV1().Pods("default")
	for i := range 5 {
		if _, err := pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("p", i)}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	options := metav1.ListOptions{Limit: 2}
	for n := 0; ; n++ {
		page, err := pods.List(ctx, options)
		if err != nil {
			t.Fatal(err)
		}
		if page.ResourceVersion != "6" {
			t.Errorf("page %d: want resourceVersion 6, got %s", n, page.ResourceVersion)
		}
		for _, p := range page.Items {
			names = append(names, p.Name)
		}
		// Later writes do not show: all pages are of the same moment.
		if err := pods.Delete(ctx, fmt.Sprint("p", 4-n), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if options.Continue = page.Continue; options.Continue == "" {
			break
		}
		if page.RemainingItemCount == nil || *page.RemainingItemCount != int64(5-len(names)) {
			t.Errorf("page %d: want %d remaining, got %v", n, 5-len(names), page.RemainingItemCount)
		}
	}
	if diff := cmp.Diff([]string{"p0", "p1", "p2", "p3", "p4"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}

	first, err := pods.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "new"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Compact("Pod"); err != nil {
		t.Fatal(err)
	}
	if got := do(s, "GET", "/api/v1/namespaces/default/pods?limit=1&continue="+first.Continue, ""); got.Status != 410 {
		t.Errorf("continue after the history is gone: want 410, got %d %s", got.Status, got.Body)
	}
}

func TestListOfThePast(t *testing.T) {
	s, _ := newTestServer(t)
	watchWorld(t, s)
	for _, tc := range []struct{ name, query, want, version string }{
		{"exactly", "resourceVersion=3&resourceVersionMatch=Exact", "default/a default/b", "3"},
		{"exactly, before a deletion", "resourceVersion=5&resourceVersionMatch=Exact", "a-first/c default/a default/b", "5"},
		{"at least", "resourceVersion=3&resourceVersionMatch=NotOlderThan", "a-first/c default/a", "6"},
		{"at least, unsaid", "resourceVersion=3", "a-first/c default/a", "6"},
		{"with a limit", "resourceVersion=3&limit=5", "default/a default/b", "3"},
		{"any", "resourceVersion=0&limit=500", "a-first/c default/a", "6"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			list := mustServe(t, s, 200, "GET", "/api/v1/configmaps?"+tc.query, "")
			if got, version := keysOf(list), text(child(list, "metadata"), "resourceVersion"); got != tc.want || version != tc.version {
				t.Errorf("want %q at %s, got %q at %s", tc.want, tc.version, got, version)
			}
		})
	}
}
