package apiserver

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

var ctx = context.Background()

func TestTypedClientWithEitherBody(t *testing.T) {
	for _, tc := range []struct {
		name        string
		contentType string
	}{
		{"JSON", runtime.ContentTypeJSON},
		{"protobuf", runtime.ContentTypeProtobuf},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, clock := newTestServer(t)
			cfg := clientConfig(s)
			cfg.ContentType = tc.contentType
			pods := kubernetes.NewForConfigOrDie(cfg).CoreV1().Pods("default")
			created, err := pods.Create(ctx, &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"app": "x"}},
				Spec:       corev1.PodSpec{NodeName: "node-a"},
				Status:     corev1.PodStatus{Phase: corev1.PodRunning},
			}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if want := metav1.NewTime(epoch); created.Generation != 1 || !created.CreationTimestamp.Equal(&want) ||
				created.UID == "" || created.ResourceVersion != "2" || created.Status.Phase != corev1.PodPending {
				t.Errorf("want generation 1, creation at %v, a uid, resourceVersion 2 and phase Pending, got %+v", want, created)
			}
			clock.elapsed = time.Minute
			created.Labels["app"] = "y"
			updated, err := pods.Update(ctx, created, metav1.UpdateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if updated.ResourceVersion != "3" || updated.Generation != 1 || updated.Labels["app"] != "y" || updated.UID != created.UID {
				t.Errorf("after a change of labels: want resourceVersion 3 and generation 1, got %+v", updated.ObjectMeta)
			}
			got, err := pods.Get(ctx, "a", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(updated, got); diff != "" {
				t.Errorf("GET differs from the answer to PUT (-put +get):\n%s", diff)
			}
			if err := pods.Delete(ctx, "a", *metav1.NewDeleteOptions(0)); err != nil {
				t.Fatal(err)
			}
			if _, err := pods.Get(ctx, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("after deletion: want NotFound, got %v", err)
			}
		})
	}
}

func TestUnknownFieldsAndIntegersSurvive(t *testing.T) {
	s, _ := newTestServer(t)
	client := dynamic.NewForConfigOrDie(clientConfig(s)).Resource(schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachines"}).Namespace("default")
	vm := &unstructured.Unstructured{Object: object(t, `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: vm}
spec:
  runStrategy: Always
  big: 9007199254740993
  ratio: 0.5
  inventedByNobody: {deep: [1, "<two>", null, {x: true}]}
`)}
	if _, err := client.Create(ctx, vm, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Patch(ctx, "vm", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := client.Get(ctx, "vm", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"runStrategy": "Always", "big": int64(9007199254740993), "ratio": 0.5,
		"inventedByNobody": map[string]any{"deep": []any{int64(1), "<two>", nil, map[string]any{"x": true}}},
	}
	if diff := cmp.Diff(want, got.Object["spec"]); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

func TestNoOpWritesNothing(t *testing.T) {
	s, _ := newTestServer(t)
	pods := kubernetes.NewForConfigOrDie(clientConfig(s)).CoreV1().Pods("default")
	created, err := pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before := s.Version()
	same, err := pods.Update(ctx, created, metav1.UpdateOptions{})
	if err != nil || same.ResourceVersion != created.ResourceVersion || s.Version() != before {
		t.Errorf("PUT of what is stored: want resourceVersion %s and no write, got %v, %v", created.ResourceVersion, same, err)
	}
	patched, err := pods.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"labels":null}}`), metav1.PatchOptions{})
	if err != nil || patched.ResourceVersion != created.ResourceVersion {
		t.Errorf("patch that changes nothing: want resourceVersion %s, got %v, %v", created.ResourceVersion, patched, err)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	s, _ := newTestServer(t)
	pods := kubernetes.NewForConfigOrDie(clientConfig(s)).CoreV1().Pods("default")
	all := []string{metav1.DryRunAll}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	if created, err := pods.Create(ctx, pod, metav1.CreateOptions{DryRun: all}); err != nil || created.UID == "" || created.ResourceVersion != "" {
		t.Errorf("dry-run creation: want a uid and no resourceVersion, got %v, %v", created, err)
	}
	if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	before := s.Version()
	patch := []byte(`{"metadata":{"labels":{"a":"b"}}}`)
	if patched, err := pods.Patch(ctx, "a", types.MergePatchType, patch, metav1.PatchOptions{DryRun: all}); err != nil || patched.Labels["a"] != "b" {
		t.Errorf("dry-run patch: want the changed object, got %v, %v", patched, err)
	}
	if err := pods.Delete(ctx, "a", metav1.DeleteOptions{DryRun: all}); err != nil {
		t.Errorf("dry-run deletion: %v", err)
	}
	if s.Version() != before {
		t.Errorf("dry runs wrote: resourceVersion went from %d to %d", before, s.Version())
	}
}

func TestLeaseIsCreatedByPut(t *testing.T) {
	s, _ := newTestServer(t)
	got := do(s, "PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l", `{"metadata":{"name":"l"},"spec":{"leaseDurationSeconds":15}}`)
	if got.Status != 201 {
		t.Errorf("PUT of an absent lease: want 201, got %d %s", got.Status, got.Body)
	}
	if got := do(s, "PUT", "/api/v1/namespaces/default/pods/p", `{"metadata":{"name":"p"}}`); got.Status != 404 {
		t.Errorf("PUT of an absent pod: want 404, got %d %s", got.Status, got.Body)
	}
}
