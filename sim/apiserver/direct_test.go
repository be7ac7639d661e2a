package apiserver

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/engine"
)

func TestLoad(t *testing.T) {
	s, clock := newTestServer(t)
	given := object(t, `
apiVersion: v1
kind: Pod
metadata:
  name: p
  namespace: default
  uid: 11111111-1111-4111-8111-111111111111
  creationTimestamp: "2029-01-01T00:00:00Z"
  deletionTimestamp: "2029-01-02T00:00:00Z"
  deletionGracePeriodSeconds: 30
  generation: 4
  finalizers: [a/b]
spec: {nodeName: node-a}
status: {phase: Running}
`)
	untouched := string(AppendJSON(nil, given))
	loaded, err := s.Load(given)
	if err != nil {
		t.Fatal(err)
	}
	want := object(t, untouched)
	child(want, "metadata")["resourceVersion"] = "2"
	defaultPod(want) // the only thing that is added
	if diff := cmp.Diff(want, loaded.Content()); diff != "" {
		t.Errorf("loaded (-want +got):\n%s", diff)
	}
	if now := string(AppendJSON(nil, given)); now != untouched {
		t.Errorf("Load modified what it was given: %s", now)
	}
	if again, err := s.Load(given); err != nil || again != loaded {
		t.Errorf("loading the same again: want the same revision, got %v, %v", again, err)
	}

	clock.elapsed = time.Hour
	replaced, err := s.Load(object(t, "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, labels: {a: b}}, spec: {nodeName: node-b}}"))
	if err != nil {
		t.Fatal(err)
	}
	wantMeta := map[string]any{"name": "p", "namespace": "default", "labels": map[string]any{"a": "b"}, "resourceVersion": "3",
		"uid": "11111111-1111-4111-8111-111111111111", "creationTimestamp": "2029-01-01T00:00:00Z",
		"deletionTimestamp": "2029-01-02T00:00:00Z", "deletionGracePeriodSeconds": int64(30), "generation": int64(5)}
	if diff := cmp.Diff(wantMeta, replaced.meta()); diff != "" {
		t.Errorf("metadata after a replacement (-want +got):\n%s", diff)
	}
	if text(child(replaced.content, "status"), "phase") != "Running" {
		t.Errorf("the status that the replacement leaves out is gone: %v", replaced.content["status"])
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, tc := range []struct{ name, yaml, message string }{
		{"unknown kind", "{apiVersion: v1, kind: Gizmo, metadata: {name: x}}", `kind "Gizmo" is not served`},
		{"no namespace", "{apiVersion: v1, kind: Pod, metadata: {name: x}}", "metadata.namespace is missing"},
		{"a namespace", "{apiVersion: v1, kind: Node, metadata: {name: x, namespace: y1}}", "the kind has no namespaces"},
		{"wrong version", "{apiVersion: v2, kind: Node, metadata: {name: x}}", "does not match the expected API version (v1)"},
		{"wrong type", "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: y1}, spec: {nodeName: 5}}", `Pod "y1/x" in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field PodSpec.spec.nodeName of type string`},
		{"bad name", "{apiVersion: v1, kind: Node, metadata: {name: X_Y}}", "metadata.name: Invalid value"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _ := newTestServer(t)
			_, err := s.Load(object(t, tc.yaml))
			if err == nil || !strings.Contains(err.Error(), tc.message) {
				t.Errorf("want an error that says %q, got %v", tc.message, err)
			}
			if s.Version() != 1 {
				t.Error("something was written")
			}
		})
	}
	s, _ := newTestServer(t)
	_, err := s.Load(map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": "n", "labels": map[string]string{}}})
	if err == nil || !strings.Contains(err.Error(), "content.metadata.labels is a map[string]string") {
		t.Errorf("content that is no decoded JSON: got %v", err)
	}
}

func TestBind(t *testing.T) {
	s, clock := newTestServer(t)
	pod := mustCreate(t, s, podNamed("p"))
	path := "/api/v1/namespaces/default/pods/p/binding"
	if got := do(s, "POST", path, `{"target":{}}`); got.Status != 500 {
		t.Errorf("binding to nothing: want 500, got %d %s", got.Status, got.Body)
	}
	if got := do(s, "POST", path, `{"metadata":{"uid":"other"},"target":{"name":"node-a"}}`); got.Status != 409 {
		t.Errorf("binding of an earlier pod: want 409, got %d %s", got.Status, got.Body)
	}
	clock.elapsed = time.Minute
	mustServe(t, s, 201, "POST", path, `{"metadata":{"name":"p","annotations":{"a":"b"}},"target":{"kind":"Node","name":"node-a"}}`)
	bound, err := s.Get(pod.Ref())
	if err != nil {
		t.Fatal(err)
	}
	view := As[corev1.Pod](bound)
	want := []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(epoch.Add(time.Minute))}}
	if diff := cmp.Diff(want, view.Status.Conditions); diff != "" || view.Spec.NodeName != "node-a" || view.Annotations["a"] != "b" || view.Generation != 1 {
		t.Errorf("want the pod on node-a, generation 1, got %+v; conditions (-want +got):\n%s", view, diff)
	}
	err = s.Bind(pod.Ref(), "node-b")
	if !apierrors.IsConflict(err) || err.Error() != `Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "node-a"` {
		t.Errorf("second binding: got %v", err)
	}

	doomed := mustCreate(t, s, "{apiVersion: v1, kind: Pod, metadata: {name: doomed, namespace: default, finalizers: [a/b]}}")
	if err := s.Delete(doomed.Ref(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Bind(doomed.Ref(), "node-a"); !apierrors.IsConflict(err) || !strings.Contains(err.Error(), "is being deleted") {
		t.Errorf("binding of a terminating pod: got %v", err)
	}
	gated := mustCreate(t, s, "{apiVersion: v1, kind: Pod, metadata: {name: gated, namespace: default}, spec: {schedulingGates: [{name: g}]}}")
	if err := s.Bind(gated.Ref(), "node-a"); !apierrors.IsConflict(err) {
		t.Errorf("binding of a gated pod: got %v", err)
	}
	if err := s.Bind(engine.Ref{Kind: "Pod", Namespace: "default", Name: "none"}, "node-a"); !apierrors.IsNotFound(err) {
		t.Errorf("binding of no pod: got %v", err)
	}
}

// A condition that is there already is changed in place, and its time only with
// its value.
func TestBindChangesTheCondition(t *testing.T) {
	const since = "2029-01-01T00:00:00Z"
	for _, tc := range []struct{ name, value, since string }{
		{"unschedulable before", "False", "2030-01-01T00:00:00Z"},
		{"scheduled before", "True", since},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _ := newTestServer(t)
			pod, err := s.Load(object(t, "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default}, status: {conditions: ["+
				"{type: Ready, status: 'False'}, {type: PodScheduled, status: '"+tc.value+"', reason: Unschedulable, lastTransitionTime: '"+since+"'}]}}"))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Bind(pod.Ref(), "node-a"); err != nil {
				t.Fatal(err)
			}
			bound, err := s.Get(pod.Ref())
			if err != nil {
				t.Fatal(err)
			}
			want := []any{map[string]any{"type": "Ready", "status": "False"}, map[string]any{"type": "PodScheduled", "status": "True",
				"lastProbeTime": nil, "lastTransitionTime": tc.since}}
			if diff := cmp.Diff(want, child(bound.content, "status")["conditions"]); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTypedViews(t *testing.T) {
	s, _ := newTestServer(t)
	vmi := &kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Name: "vm", Namespace: "default"}}
	vmi.Status.Phase = kubevirtv1.Scheduling
	created, err := s.Create(ToContent(vmi))
	if err != nil {
		t.Fatal(err)
	}
	view := As[kubevirtv1.VirtualMachineInstance](created)
	if view.ResourceVersion != "2" || view.Generation != 1 || view.UID == "" || view.Status.Phase != kubevirtv1.Scheduling {
		t.Errorf("view of the creation: %+v", view)
	}
	if As[kubevirtv1.VirtualMachineInstance](created) != view {
		t.Error("the view was decoded twice")
	}
	changed := view.DeepCopy()
	changed.Status.Phase = kubevirtv1.Scheduled
	updated, err := s.Update(ToContent(changed), "")
	if err != nil {
		t.Fatal(err)
	}
	if v := As[kubevirtv1.VirtualMachineInstance](updated); v.ResourceVersion != "3" || v.Generation != 2 || v.Status.Phase != kubevirtv1.Scheduled {
		t.Errorf("view of the update: %+v", v)
	}
	if _, err := s.Update(ToContent(changed), ""); !apierrors.IsConflict(err) {
		t.Errorf("stale update: want a conflict, got %v", err)
	}
	defer func() {
		if got := recover(); got != "apiserver.As: VirtualMachineInstance default/vm is a *v1.VirtualMachineInstance, not a *v1.Pod" {
			t.Errorf("the wrong type: got panic %v", got)
		}
	}()
	As[corev1.Pod](updated)
}

// Rows of another system live in the same store, and HTTP never shows them.
func TestInternalKinds(t *testing.T) {
	s := New(Options{Resources: append(Builtin(), lspKind)})
	row := mustCreate(t, s, `{kind: LogicalSwitchPort, metadata: {name: vm.default}, options: {requested-chassis: node-a}}`)
	if got := do(s, "GET", "/apis/ovn.org/v1/logicalswitchports", ""); got.Status != 404 {
		t.Errorf("want 404, got %d %s", got.Status, got.Body)
	}
	w, err := s.Watch("LogicalSwitchPort", WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	events := collect(w)
	if _, err := s.Patch(row.Ref(), types.MergePatchType, []byte(`{"options":{"requested-chassis":"node-a,node-b"}}`), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Update(map[string]any{"kind": "LogicalSwitchPort", "metadata": map[string]any{"name": "vm.default"}}, ""); err != nil {
		t.Errorf("an unconditional update: %v", err)
	}
	if err := s.Delete(row.Ref(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	want := []string{"ADDED vm.default 2", "MODIFIED vm.default 3", "MODIFIED vm.default 4", "DELETED vm.default 5"}
	if diff := cmp.Diff(want, events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if _, err := s.Create(object(t, "{kind: LogicalSwitchPort, metadata: {name: a/b}}")); !apierrors.IsInvalid(err) {
		t.Errorf("a name with a slash: want 422, got %v", err)
	}
}

func TestListAndGet(t *testing.T) {
	s, _ := newTestServer(t)
	watchWorld(t, s)
	var keys []string
	for _, o := range s.List("ConfigMap", "") {
		keys = append(keys, o.Ref().Key())
	}
	if diff := cmp.Diff([]string{"a-first/c", "default/a"}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if got := s.List("ConfigMap", "default"); len(got) != 1 {
		t.Errorf("want one object in default, got %d", len(got))
	}
	if got := s.List("Gizmo", ""); got != nil {
		t.Errorf("want none of an unknown kind, got %v", got)
	}
	_, err := s.Get(engine.Ref{Kind: "Gizmo", Name: "x"})
	if !apierrors.IsBadRequest(err) {
		t.Errorf("want a 400 for an unknown kind, got %v", err)
	}
}
