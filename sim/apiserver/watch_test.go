package apiserver

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// watchWorld writes: a (2), b (3), a changed (4), c in another namespace (5),
// b deleted (6).
func watchWorld(t testing.TB, s *Server) {
	t.Helper()
	config := func(namespace, name, label string) string {
		return "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + ", namespace: " + namespace + ", labels: {l: " + label + "}}}"
	}
	a := mustCreate(t, s, config("default", "a", "red"))
	b := mustCreate(t, s, config("default", "b", "red"))
	relabel(t, s, a, "blue")
	mustCreate(t, s, config("a-first", "c", "red"))
	if err := s.Delete(b.Ref(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func relabel(t testing.TB, s *Server, o *Object, label string) {
	t.Helper()
	if _, err := s.Patch(o.Ref(), types.MergePatchType, []byte(`{"metadata":{"labels":{"l":"`+label+`"}}}`), ""); err != nil {
		t.Fatal(err)
	}
}

func TestWatch(t *testing.T) {
	for _, tc := range []struct {
		name    string
		options WatchOptions
		want    []string
	}{
		{"from the start", WatchOptions{ResourceVersion: "1"},
			[]string{"ADDED default/a 2", "ADDED default/b 3", "MODIFIED default/a 4", "ADDED a-first/c 5", "DELETED default/b 6"}},
		{"from the middle", WatchOptions{ResourceVersion: "3"},
			[]string{"MODIFIED default/a 4", "ADDED a-first/c 5", "DELETED default/b 6"}},
		{"from now", WatchOptions{ResourceVersion: "6"}, nil},
		{"from the future", WatchOptions{ResourceVersion: "60"}, nil},
		{"from the present state", WatchOptions{}, []string{"ADDED a-first/c 5", "ADDED default/a 4"}},
		{"from any state", WatchOptions{ResourceVersion: "0"}, []string{"ADDED a-first/c 5", "ADDED default/a 4"}},
		{"watch list", WatchOptions{ResourceVersion: "3", SendInitialEvents: true, AllowBookmarks: true},
			[]string{"ADDED a-first/c 5", "ADDED default/a 4", "BOOKMARK 6"}},
		{"watch list without bookmarks", WatchOptions{SendInitialEvents: true}, []string{"ADDED a-first/c 5", "ADDED default/a 4"}},
		{"a namespace", WatchOptions{ResourceVersion: "1", Namespace: "a-first"}, []string{"ADDED a-first/c 5"}},
		{"labels that change", WatchOptions{ResourceVersion: "1", LabelSelector: "l=red"},
			[]string{"ADDED default/a 2", "ADDED default/b 3", "DELETED default/a 4", "ADDED a-first/c 5", "DELETED default/b 6"}},
		{"labels that come", WatchOptions{ResourceVersion: "1", LabelSelector: "l=blue"}, []string{"ADDED default/a 4"}},
		{"a field", WatchOptions{ResourceVersion: "1", FieldSelector: "metadata.name=b"}, []string{"ADDED default/b 3", "DELETED default/b 6"}},
	} {
		t.Run(tc.name+", afterwards", func(t *testing.T) {
			s, _ := newTestServer(t)
			watchWorld(t, s)
			w, err := s.Watch("ConfigMap", tc.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, collect(w)()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
		if tc.options.ResourceVersion != "1" {
			continue
		}
		t.Run(tc.name+", live", func(t *testing.T) {
			s, _ := newTestServer(t)
			w, err := s.Watch("ConfigMap", tc.options)
			if err != nil {
				t.Fatal(err)
			}
			events := collect(w)
			watchWorld(t, s)
			if diff := cmp.Diff(tc.want, events()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			w.Close()
			w.Close()
			mustCreate(t, s, "{apiVersion: v1, kind: ConfigMap, metadata: {name: late, namespace: default}}")
			if late := events(); late != nil {
				t.Errorf("events after Close: %v", late)
			}
		})
	}
}

// An object that leaves a selection is deleted in its last matching state, at
// the version of the write that made it leave.
func TestDeletedEvents(t *testing.T) {
	s, _ := newTestServer(t)
	var got []engine.Event
	w, err := s.Watch("ConfigMap", WatchOptions{ResourceVersion: "1", LabelSelector: "l=red"})
	if err != nil {
		t.Fatal(err)
	}
	w.Open(func(e engine.Event) { got = append(got, e) })
	watchWorld(t, s)
	left, gone := got[2], got[4]
	if l := text(child(child(left.Revision.Content(), "metadata"), "labels"), "l"); l != "red" || left.Revision.Version() != 4 || left.Previous.Version() != 2 {
		t.Errorf("left the selection: want label red at version 4 after 2, got %s at %d after %d", l, left.Revision.Version(), left.Previous.Version())
	}
	if gone.Revision.Version() != 6 || gone.Previous.Version() != 3 {
		t.Errorf("deleted: want version 6 after 3, got %d after %d", gone.Revision.Version(), gone.Previous.Version())
	}
	frame := string(gone.Frame())
	if !strings.HasPrefix(frame, `{"type":"DELETED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{`) ||
		!strings.HasSuffix(frame, `"resourceVersion":"6","uid":"`+gone.Revision.(*Object).UID()+`"}}}`+"\n") {
		t.Errorf("frame: %s", frame)
	}
}

func TestInitialEventsEnd(t *testing.T) {
	s, _ := newTestServer(t)
	watchWorld(t, s)
	w, err := s.Watch("ConfigMap", WatchOptions{SendInitialEvents: true, AllowBookmarks: true})
	if err != nil {
		t.Fatal(err)
	}
	var last engine.Event
	w.Open(func(e engine.Event) { last = e })
	want := `{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"6"}}}` + "\n"
	if got := string(last.Frame()); got != want {
		t.Errorf("want %s, got %s", want, got)
	}
	mustCreate(t, s, "{apiVersion: v1, kind: Secret, metadata: {name: other, namespace: default}}")
	if err := s.SendBookmarks("ConfigMap"); err != nil {
		t.Fatal(err)
	}
	want = `{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"7"}}}` + "\n"
	if got := string(last.Frame()); got != want {
		t.Errorf("want %s, got %s", want, got)
	}
}

func TestHistoryLimit(t *testing.T) {
	s := New(Options{History: 2})
	watchWorld(t, s)
	for _, tc := range []struct {
		name, from string
		want       []string
	}{
		{"within", "4", []string{"ADDED a-first/c 5", "DELETED default/b 6"}},
		{"beyond", "3", []string{"ERROR"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, err := s.Watch("ConfigMap", WatchOptions{ResourceVersion: tc.from})
			if err != nil {
				t.Fatal(err)
			}
			events := collect(w)
			if diff := cmp.Diff(tc.want, events()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTooOldIsGone(t *testing.T) {
	s, _ := newTestServer(t)
	watchWorld(t, s)
	if err := s.Compact("ConfigMap"); err != nil {
		t.Fatal(err)
	}
	response := do(s, "GET", "/api/v1/configmaps?watch=true&resourceVersion=5", "")
	if response.Status != 200 || response.Watch == nil {
		t.Fatalf("want 200 and a watch, got %d %s", response.Status, response.Body)
	}
	var got string
	response.Watch.Open(func(e engine.Event) { got += string(e.Frame()) })
	want := `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 5 (6)","reason":"Expired","code":410}}` + "\n"
	if got != want {
		t.Errorf("want %s, got %s", want, got)
	}
	if list := do(s, "GET", "/api/v1/configmaps?resourceVersion=5&resourceVersionMatch=Exact", ""); list.Status != 410 || list.Reason != "Expired" {
		t.Errorf("list of the past: want 410 Expired, got %d %s", list.Status, list.Body)
	}
}

// Without initial events a watch that names no version starts now.
func TestWatchFromNow(t *testing.T) {
	s, _ := newTestServer(t)
	watchWorld(t, s)
	response := do(s, "GET", "/api/v1/configmaps?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", "")
	if response.Watch == nil {
		t.Fatalf("want a watch, got %d %s", response.Status, response.Body)
	}
	if got := collect(response.Watch)(); got != nil {
		t.Errorf("want no events, got %v", got)
	}
}

// A write that an observer makes is told after the one in hand, to everybody.
func TestWritesOfObserversKeepTheOrder(t *testing.T) {
	s, _ := newTestServer(t)
	var observed []string
	s.Observe(func(c engine.Change) {
		if c.Ref.Kind == "ConfigMap" {
			mustCreate(t, s, "{apiVersion: v1, kind: Secret, metadata: {name: answer-"+c.Ref.Name+", namespace: default}}")
			w, err := s.Watch("Secret", WatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			events := collect(w)
			if got, want := events(), []string{"ADDED default/answer-x 3"}; !cmp.Equal(got, want) {
				t.Errorf("watch opened meanwhile: want %v, got %v", want, got)
			}
			t.Cleanup(func() {
				if got := events(); got != nil {
					t.Errorf("the write was told twice: %v", got)
				}
			})
		}
	})
	s.Observe(func(c engine.Change) { observed = append(observed, c.Type+" "+c.Ref.String()) })
	mustCreate(t, s, "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: default}}")
	if diff := cmp.Diff([]string{"ADDED ConfigMap default/x", "ADDED Secret default/answer-x"}, observed); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestChanges(t *testing.T) {
	s, _ := newTestServer(t)
	var got []string
	version := func(r engine.Revision) string {
		if r == nil {
			return "-"
		}
		return text(child(r.Content(), "metadata"), "resourceVersion")
	}
	s.Observe(func(c engine.Change) {
		got = append(got, strings.Join([]string{c.Type, c.Ref.Key(), version(c.Before), version(c.After)}, " "))
	})
	watchWorld(t, s)
	want := []string{"ADDED default/a - 2", "ADDED default/b - 3", "MODIFIED default/a 2 4", "ADDED a-first/c - 5", "DELETED default/b 3 -"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
