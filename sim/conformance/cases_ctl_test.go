package conformance

import (
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// controllerRuntimeCases are what users of controller-runtime's fake client are
// used to, and what they miss there.
var controllerRuntimeCases = []testCase{
	{name: "client.Client create, get, list, delete", run: func(t *trial) {
		c := t.controllerRuntime()
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: t.ns}}
		t.noteError("create", c.Create(t.ctx, cm))
		t.noteError("get", c.Get(t.ctx, client.ObjectKeyFromObject(cm), cm))
		var list corev1.ConfigMapList
		t.noteError("list", c.List(t.ctx, &list, client.InNamespace(t.ns), client.MatchingFields{"metadata.name": "a"}))
		t.note("kind of an item", list.Items[0].Kind)
		t.noteError("delete", c.Delete(t.ctx, cm))
		t.noteError("delete again", c.Delete(t.ctx, cm))
	}},
	{name: "client.Client DeleteAllOf", run: func(t *trial) {
		c := t.controllerRuntime()
		t.configMap("a")
		t.configMap("b")
		t.noteError("delete", c.DeleteAllOf(t.ctx, &corev1.ConfigMap{}, client.InNamespace(t.ns), client.MatchingLabels{"app": "x"}))
	}},
	{name: "client.Client SubResource status", run: func(t *trial) {
		c := t.controllerRuntime()
		t.create(vmimYAML, "m")
		m := &kubevirtv1.VirtualMachineInstanceMigration{ObjectMeta: metav1.ObjectMeta{Name: "m", Namespace: t.ns}}
		t.ok(c.Get(t.ctx, client.ObjectKeyFromObject(m), m))
		m.Status.Phase = kubevirtv1.MigrationScheduling
		t.noteError("update", c.Status().Update(t.ctx, m))
		before := m.DeepCopy()
		m.Status.Phase = kubevirtv1.MigrationRunning
		t.noteError("patch", c.SubResource("status").Patch(t.ctx, m, client.MergeFrom(before)))
	}},
	{name: "client.Client SubResource eviction", run: func(t *trial) {
		t.running("p")
		t.evict("p")
	}},
	{name: "client.Client Apply", managed: true, run: func(t *trial) {
		c := t.controllerRuntime()
		t.noteError("apply", c.Apply(t.ctx, corev1ac.ConfigMap("a", t.ns).WithData(map[string]string{"a": "1"}), client.FieldOwner("me")))
		t.noteError("other", c.Apply(t.ctx, corev1ac.ConfigMap("a", t.ns).WithData(map[string]string{"a": "2"}), client.FieldOwner("other")))
		t.noteError("forced", c.Apply(t.ctx, corev1ac.ConfigMap("a", t.ns).WithData(map[string]string{"a": "2"}), client.FieldOwner("other"), client.ForceOwnership))
	}},
	{name: "client.Client PartialObjectMetadata", run: func(t *trial) {
		c := t.controllerRuntime()
		t.configMap("a")
		m := &metav1.PartialObjectMetadata{}
		m.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
		t.noteError("get", c.Get(t.ctx, client.ObjectKey{Namespace: t.ns, Name: "a"}, m))
		before := m.DeepCopy()
		m.Labels["b"] = "1"
		t.noteError("patch", c.Patch(t.ctx, m, client.MergeFrom(before)))
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMapList"})
		t.noteError("list", c.List(t.ctx, list, client.InNamespace(t.ns), client.MatchingLabels{"app": "x"}))
	}},
	{name: "client.Client optimistic lock", run: func(t *trial) {
		c := t.controllerRuntime()
		t.configMap("a")
		cm := &corev1.ConfigMap{}
		t.ok(c.Get(t.ctx, client.ObjectKey{Namespace: t.ns, Name: "a"}, cm))
		before := cm.DeepCopy()
		cm.Data["a"] = "2"
		t.noteError("first", c.Patch(t.ctx, cm.DeepCopy(), client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
		t.noteError("second", c.Patch(t.ctx, cm.DeepCopy(), client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
	}},
	{name: "client.Client watch", run: func(t *trial) {
		c := t.controllerRuntime()
		w := need(c.Watch(t.ctx, &corev1.ConfigMapList{}, client.InNamespace(t.ns), client.MatchingLabels{"app": "x"}))(t)
		t.tb.Cleanup(w.Stop)
		t.configMap("a")
		t.noteEvent(t.next(w))
	}},
	{name: "dry runs of everything", run: func(t *trial) {
		c := t.controllerRuntime()
		dry := client.NewDryRunClient(c)
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: t.ns}}
		t.noteError("create", dry.Create(t.ctx, cm))
		t.raw(http.MethodGet, "/api/v1/namespaces/NS/configmaps/a", "")
	}},
}
