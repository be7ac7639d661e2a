package apiserver

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// mediaTypes notes the Content-Types of requests.
type mediaTypes struct {
	http.RoundTripper
	mu   sync.Mutex
	seen []string
}

func (m *mediaTypes) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	if ct := r.Header.Get("Content-Type"); ct != "" && !slices.Contains(m.seen, ct) {
		m.seen = append(m.seen, ct)
	}
	m.mu.Unlock()
	return m.RoundTripper.RoundTrip(r)
}

func TestControllerRuntimeClient(t *testing.T) {
	s, _ := newTestServer(t)
	cfg := clientConfig(s)
	types := &mediaTypes{RoundTripper: s.Transport()}
	cfg.Transport = types
	c, err := client.New(cfg, client.Options{Scheme: kinds()})
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	// A built-in kind travels as protobuf, a custom resource as JSON.
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "virt-launcher-", Namespace: "default"}}
	must(c.Create(ctx, pod))
	vm := &kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{Name: "vm", Namespace: "default"},
		Spec: kubevirtv1.VirtualMachineSpec{Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{}}}
	must(c.Create(ctx, vm))
	if diff := cmp.Diff([]string{"application/vnd.kubernetes.protobuf", "application/json"}, types.seen); diff != "" {
		t.Errorf("media types of the bodies (-want +got):\n%s", diff)
	}

	stale := vm.DeepCopy()
	controllerutil.AddFinalizer(vm, "a/b")
	must(c.Update(ctx, vm))
	if err := c.Update(ctx, stale); !apierrors.IsConflict(err) {
		t.Errorf("stale update: want a conflict, got %v", err)
	}
	vm.Status.Ready = true
	must(c.Status().Update(ctx, vm))
	before := vm.DeepCopy()
	vm.Status.StateChangeRequests = []kubevirtv1.VirtualMachineStateChangeRequest{{Action: kubevirtv1.StartRequest}}
	must(c.Status().Patch(ctx, vm, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
	if err := c.Status().Patch(ctx, before, client.RawPatch("application/json-patch+json", []byte(`[{"op":"add","path":"/status/created","value":true}]`))); err != nil {
		t.Error(err)
	}

	vmi := &kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Name: "vm", Namespace: "default"}}
	must(c.Create(ctx, vmi))
	vmi.Status.Phase = kubevirtv1.Running
	if err := c.Status().Update(ctx, vmi); !apierrors.IsNotFound(err) {
		t.Errorf("status of a VMI through the subresource: want NotFound, got %v", err)
	}
	vmi.Status.Phase = kubevirtv1.Running
	must(c.Update(ctx, vmi))
	if vmi.Status.Phase != kubevirtv1.Running || vmi.Generation != 2 {
		t.Errorf("status of a VMI through the object: want Running and generation 2, got %s and %d", vmi.Status.Phase, vmi.Generation)
	}

	must(c.Delete(ctx, vm))
	must(c.Get(ctx, client.ObjectKeyFromObject(vm), vm))
	if vm.DeletionTimestamp == nil || vm.Generation != 2 || !vm.Status.Created || len(vm.Status.StateChangeRequests) != 1 {
		t.Errorf("want a terminating vm of generation 2 with its status, got %+v", vm)
	}
	controllerutil.RemoveFinalizer(vm, "a/b")
	must(c.Update(ctx, vm))
	if err := c.Get(ctx, client.ObjectKeyFromObject(vm), vm); !apierrors.IsNotFound(err) {
		t.Errorf("after the last finalizer: want NotFound, got %v", err)
	}
	var pods corev1.PodList
	must(c.List(ctx, &pods, client.InNamespace("default"), client.MatchingFields{"status.phase": "Pending"}))
	if len(pods.Items) != 1 || pods.Items[0].Name != pod.Name {
		t.Errorf("want the pod %s, got %v", pod.Name, pods.Items)
	}
	must(c.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace("default")))
}

func TestControllerRuntimeCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newTestServer(t)
		mustCreate(t, s, "{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, metadata: {name: vm, namespace: default}}")
		cached, err := cache.New(clientConfig(s), cache.Options{Scheme: kinds()})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cached.Start(t.Context()) }()
		if !cached.WaitForCacheSync(t.Context()) {
			t.Fatal("the cache did not start")
		}
		var vmis kubevirtv1.VirtualMachineInstanceList
		if err := cached.List(t.Context(), &vmis); err != nil || len(vmis.Items) != 1 {
			t.Errorf("want one VMI in the cache, got %v, %v", vmis.Items, err)
		}
		s.Locked(func() {
			mustCreate(t, s, "{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, metadata: {name: vm2, namespace: default}}")
		})
		synctest.Wait()
		if err := cached.List(t.Context(), &vmis); err != nil || len(vmis.Items) != 2 {
			t.Errorf("want two VMIs in the cache, got %v, %v", vmis.Items, err)
		}
	})
}
