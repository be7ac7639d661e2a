package apiserver

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestPodDeletion(t *testing.T) {
	const scheduled = `spec: {nodeName: node-a}`
	ten, zero, negative := int64(10), int64(0), int64(-5)
	for _, tc := range []struct {
		name, pod string
		deletions []*int64 // grace periods asked for, one second apart
		events    []string
		stays     bool
		grace     int64
		at        string
	}{
		{"not scheduled: gone at once, in two writes", "", []*int64{nil},
			[]string{"MODIFIED default/p 3", "DELETED default/p 4"}, false, 0, ""},
		{"not scheduled, whatever grace is asked for", "", []*int64{&ten},
			[]string{"MODIFIED default/p 3", "DELETED default/p 4"}, false, 0, ""},
		{"scheduled: 30 seconds by default", scheduled, []*int64{nil},
			[]string{"MODIFIED default/p 3"}, true, 30, "2030-01-01T00:00:30Z"},
		{"scheduled: the pod's own period", `spec: {nodeName: node-a, terminationGracePeriodSeconds: 3}`, []*int64{nil},
			[]string{"MODIFIED default/p 3"}, true, 3, "2030-01-01T00:00:03Z"},
		{"scheduled: the period asked for", scheduled, []*int64{&ten},
			[]string{"MODIFIED default/p 3"}, true, 10, "2030-01-01T00:00:10Z"},
		{"negative means one", scheduled, []*int64{&negative},
			[]string{"MODIFIED default/p 3"}, true, 1, "2030-01-01T00:00:01Z"},
		{"the kubelet's deletion ends it", scheduled, []*int64{nil, &zero},
			[]string{"MODIFIED default/p 3", "MODIFIED default/p 4", "DELETED default/p 5"}, false, 0, ""},
		{"a repeated deletion changes nothing", scheduled, []*int64{nil, nil},
			[]string{"MODIFIED default/p 3"}, true, 30, "2030-01-01T00:00:30Z"},
		{"the period only shrinks", scheduled, []*int64{nil, &ten, nil},
			[]string{"MODIFIED default/p 3", "MODIFIED default/p 4"}, true, 10, "2030-01-01T00:00:10Z"},
		{"it never grows", scheduled, []*int64{&ten, new(int64(20))},
			[]string{"MODIFIED default/p 3"}, true, 10, "2030-01-01T00:00:10Z"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, clock := newTestServer(t)
			pod := mustCreate(t, s, "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default}\n"+tc.pod)
			events := watchFrom(t, s, "Pod", pod)
			for _, grace := range tc.deletions {
				if err := s.Delete(pod.Ref(), metav1.DeleteOptions{GracePeriodSeconds: grace}); err != nil {
					t.Fatal(err)
				}
				clock.elapsed += time.Second
			}
			if diff := cmp.Diff(tc.events, events()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			got, err := s.Get(pod.Ref())
			if (err == nil) != tc.stays {
				t.Fatalf("want the pod to stay: %v; got %v", tc.stays, err)
			}
			if !tc.stays {
				return
			}
			if grace, _ := integer(got.meta(), "deletionGracePeriodSeconds"); grace != tc.grace || text(got.meta(), "deletionTimestamp") != tc.at {
				t.Errorf("want grace %d until %s, got %v", tc.grace, tc.at, got.meta())
			}
			if n, _ := integer(got.meta(), "generation"); n != 2 {
				t.Errorf("the first deletion raises the generation once: want 2, got %d", n)
			}
		})
	}
}

func TestTerminatedPodGoesAtOnce(t *testing.T) {
	s, _ := newTestServer(t)
	pod, err := s.Load(object(t, "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default}, spec: {nodeName: node-a}, status: {phase: Succeeded}}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(pod.Ref(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(pod.Ref()); !apierrors.IsNotFound(err) {
		t.Errorf("want NotFound, got %v", err)
	}
}

func TestFinalizers(t *testing.T) {
	s, clock := newTestServer(t)
	vm := mustCreate(t, s, "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: vm, namespace: default, finalizers: [a/b, c/d]}}")
	events := watchFrom(t, s, "VirtualMachine", vm)
	for range 2 { // the second changes nothing
		if err := s.Delete(vm.Ref(), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		clock.elapsed += time.Second
	}
	terminating, err := s.Get(vm.Ref())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"name": "vm", "namespace": "default", "finalizers": []any{"a/b", "c/d"}, "uid": vm.UID(),
		"creationTimestamp": "2030-01-01T00:00:00Z", "deletionTimestamp": "2030-01-01T00:00:00Z",
		"deletionGracePeriodSeconds": int64(0), "generation": int64(2), "resourceVersion": "3"}
	if diff := cmp.Diff(want, terminating.meta()); diff != "" {
		t.Errorf("metadata while terminating (-want +got):\n%s", diff)
	}
	patch := func(body string) error {
		_, err := s.Patch(vm.Ref(), types.MergePatchType, []byte(body), "")
		return err
	}
	err = patch(`{"metadata":{"finalizers":["a/b","c/d","e/f"]}}`)
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), `no new finalizers can be added if the object is being deleted, found new finalizers []string{"e/f"}`) {
		t.Errorf("new finalizer while terminating: want 422, got %v", err)
	}
	if err := patch(`{"metadata":{"deletionTimestamp":null,"finalizers":["a/b"]}}`); err != nil {
		t.Fatal(err)
	}
	if o, _ := s.Get(vm.Ref()); text(o.meta(), "deletionTimestamp") == "" {
		t.Error("an update removed the deletionTimestamp")
	}
	if err := patch(`{"metadata":{"finalizers":[]}}`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(vm.Ref()); !apierrors.IsNotFound(err) {
		t.Errorf("after the last finalizer: want NotFound, got %v", err)
	}
	if diff := cmp.Diff([]string{"MODIFIED default/vm 3", "MODIFIED default/vm 4", "DELETED default/vm 5"}, events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// A pod with a finalizer and a grace period needs both to be over.
func TestPodWithFinalizer(t *testing.T) {
	s, _ := newTestServer(t)
	pod := mustCreate(t, s, "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default, finalizers: [a/b]}, spec: {nodeName: node-a}}")
	remove := []byte(`{"metadata":{"finalizers":null}}`)
	if err := s.Delete(pod.Ref(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Patch(pod.Ref(), types.MergePatchType, remove, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(pod.Ref()); err != nil {
		t.Fatalf("the grace period is running: want the pod, got %v", err)
	}

	held := mustCreate(t, s, "{apiVersion: v1, kind: Pod, metadata: {name: held, namespace: default, finalizers: [a/b]}}")
	if err := s.Delete(held.Ref(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if o, err := s.Get(held.Ref()); err != nil || o.meta()["deletionTimestamp"] == nil {
		t.Fatalf("the finalizer holds an unscheduled pod: want it terminating, got %v, %v", o, err)
	}
	if _, err := s.Patch(held.Ref(), types.MergePatchType, remove, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(held.Ref()); !apierrors.IsNotFound(err) {
		t.Errorf("want NotFound, got %v", err)
	}
}

func TestDeletePreconditions(t *testing.T) {
	s, _ := newTestServer(t)
	pod := mustCreate(t, s, errorsWorld)
	uid, other := types.UID(pod.UID()), types.UID("other")
	version, stale := "2", "1"
	for _, tc := range []struct {
		name          string
		preconditions metav1.Preconditions
		message       string
	}{
		{"uid", metav1.Preconditions{UID: &other}, `Operation cannot be fulfilled on Pod "a": the UID in the precondition (other) does not match the UID in record (` + pod.UID() + `). The object might have been deleted and then recreated`},
		{"resourceVersion", metav1.Preconditions{ResourceVersion: &stale}, `Operation cannot be fulfilled on Pod "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified`},
		{"both hold", metav1.Preconditions{UID: &uid, ResourceVersion: &version}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := s.Delete(pod.Ref(), metav1.DeleteOptions{Preconditions: &tc.preconditions})
			if tc.message == "" && err != nil || tc.message != "" && (!apierrors.IsConflict(err) || err.Error() != tc.message) {
				t.Errorf("want %q, got %v", tc.message, err)
			}
		})
	}
}

func TestDeleteAnswers(t *testing.T) {
	s, _ := newTestServer(t)
	mustCreate(t, s, errorsWorld)
	mustCreate(t, s, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: default}}")
	if got := mustServe(t, s, 200, "DELETE", "/api/v1/namespaces/default/pods/a", ""); got["kind"] != "Pod" {
		t.Errorf("want the pod, got %v", got)
	}
	got := mustServe(t, s, 200, "DELETE", "/api/v1/namespaces/default/configmaps/c", `{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}`)
	if got["kind"] != "Status" || got["status"] != "Success" || text(child(got, "details"), "kind") != "configmaps" {
		t.Errorf("want a Status of success about configmaps, got %v", got)
	}
}

func TestDeleteCollection(t *testing.T) {
	s, _ := newTestServer(t)
	for _, name := range []string{"a", "b", "c"} {
		label := "x"
		if name == "b" {
			label = "z"
		}
		mustCreate(t, s, "{apiVersion: v1, kind: ConfigMap, metadata: {name: "+name+", namespace: default, labels: {l: "+label+"}}}")
	}
	mustServe(t, s, 200, "DELETE", "/api/v1/namespaces/default/configmaps?labelSelector=l%3Dx", "")
	left := s.List("ConfigMap", "")
	if len(left) != 1 || left[0].Ref().Name != "b" {
		t.Errorf("want only b to be left, got %d objects", len(left))
	}
}

// watchFrom watches a kind from the state of an object on.
func watchFrom(t testing.TB, s *Server, kind string, o *Object) func() []string {
	t.Helper()
	w, err := s.Watch(kind, WatchOptions{ResourceVersion: text(o.meta(), "resourceVersion")})
	if err != nil {
		t.Fatal(err)
	}
	return collect(w)
}
