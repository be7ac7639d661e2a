package apiserver

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// model is what a simple reading of the API's rules says that there is.
type model struct {
	s       *Server
	objects map[engine.Ref]*modelObject
	live    []*liveWatch
}

type modelObject struct {
	label       string
	version     uint64
	held        bool // by a finalizer
	terminating bool
}

// liveWatch is a watch that was open while writes were made.
type liveWatch struct {
	options WatchOptions
	got     []string
}

func newModel() *model {
	return &model{s: New(Options{Seed: 1}), objects: map[engine.Ref]*modelObject{}}
}

func drawRef(t *rapid.T) engine.Ref {
	return engine.Ref{Kind: "ConfigMap",
		Namespace: rapid.SampledFrom([]string{"x", "x-y"}).Draw(t, "namespace"),
		Name:      rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")}
}

func drawLabel(t *rapid.T) string { return rapid.SampledFrom([]string{"red", "blue"}).Draw(t, "label") }

func (m *model) create(t *rapid.T) {
	ref, o := drawRef(t), &modelObject{label: drawLabel(t), held: rapid.Bool().Draw(t, "finalizer")}
	meta := map[string]any{"name": ref.Name, "namespace": ref.Namespace, "labels": map[string]any{"l": o.label}}
	if o.held {
		meta["finalizers"] = []any{"a/b"}
	}
	created, err := m.s.Create(map[string]any{"apiVersion": "v1", "kind": ref.Kind, "metadata": meta})
	if m.objects[ref] != nil {
		if !apierrors.IsAlreadyExists(err) {
			t.Fatalf("creating %s, which exists: got %v", ref, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	o.version = created.Version()
	m.objects[ref] = o
}

func (m *model) patch(t *rapid.T) {
	ref, label := drawRef(t), drawLabel(t)
	o, err := m.s.Patch(ref, types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"labels":{"l":%q}}}`, label), "")
	known := m.objects[ref]
	switch {
	case known == nil:
		if !apierrors.IsNotFound(err) {
			t.Fatalf("patching %s, which is not there: got %v", ref, err)
		}
	case err != nil:
		t.Fatal(err)
	case (o.Version() == known.version) != (label == known.label):
		t.Fatalf("patching label %s to %s: version went from %d to %d", known.label, label, known.version, o.Version())
	default:
		known.label, known.version = label, o.Version()
	}
}

func (m *model) update(t *rapid.T) {
	ref, label := drawRef(t), drawLabel(t)
	stale := rapid.Bool().Draw(t, "stale")
	known := m.objects[ref]
	if known == nil {
		return
	}
	version := known.version
	if stale {
		version--
	}
	meta := map[string]any{"name": ref.Name, "namespace": ref.Namespace, "labels": map[string]any{"l": label},
		"resourceVersion": strconv.FormatUint(version, 10)}
	if known.held {
		meta["finalizers"] = []any{"a/b"}
	}
	o, err := m.s.Update(map[string]any{"apiVersion": "v1", "kind": ref.Kind, "metadata": meta}, "")
	if stale {
		if !apierrors.IsConflict(err) {
			t.Fatalf("stale update of %s: got %v", ref, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	known.label, known.version = label, o.Version()
}

func (m *model) release(t *rapid.T) {
	ref := drawRef(t)
	known := m.objects[ref]
	if known == nil {
		return
	}
	o, err := m.s.Patch(ref, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), "")
	if err != nil {
		t.Fatal(err)
	}
	if known.terminating {
		delete(m.objects, ref)
		return
	}
	known.held, known.version = false, o.Version()
}

func (m *model) delete(t *rapid.T) {
	ref := drawRef(t)
	err := m.s.Delete(ref, metav1.DeleteOptions{})
	known := m.objects[ref]
	switch {
	case known == nil:
		if !apierrors.IsNotFound(err) {
			t.Fatalf("deleting %s, which is not there: got %v", ref, err)
		}
	case err != nil:
		t.Fatal(err)
	case !known.held:
		delete(m.objects, ref)
	case !known.terminating:
		known.terminating, known.version = true, m.s.Version()
	}
}

func (m *model) watch(t *rapid.T) {
	from := rapid.Uint64Range(1, m.s.Version()).Draw(t, "from")
	l := &liveWatch{options: WatchOptions{
		ResourceVersion: strconv.FormatUint(from, 10),
		Namespace:       rapid.SampledFrom([]string{"", "x"}).Draw(t, "namespace"),
		LabelSelector:   rapid.SampledFrom([]string{"", "l=red"}).Draw(t, "selector"),
	}}
	w, err := m.s.Watch("ConfigMap", l.options)
	if err != nil {
		t.Fatal(err)
	}
	w.Open(func(e engine.Event) { l.got = append(l.got, string(e.Frame())) })
	m.live = append(m.live, l)
}

// check compares the server with the model.
func (m *model) check(t *rapid.T) {
	objects := m.s.List("ConfigMap", "")
	if len(objects) != len(m.objects) {
		t.Fatalf("want %d objects, got %d", len(m.objects), len(objects))
	}
	for _, o := range objects {
		known := m.objects[o.Ref()]
		if known == nil || known.version != o.Version() || known.label != text(child(o.meta(), "labels"), "l") {
			t.Fatalf("%s: want %+v, got %v", o.Ref(), known, o.meta())
		}
	}
}

// TestAnyWatchReplaysToTheList makes random writes, and then: a list of any
// moment, changed by the events of a watch from that moment, is the present
// list; the events come in strictly rising versions; and a watch that was open
// meanwhile saw exactly what a later one replays.
func TestAnyWatchReplaysToTheList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel()
		t.Repeat(map[string]func(*rapid.T){
			"create": m.create, "patch": m.patch, "update": m.update,
			"release": m.release, "delete": m.delete, "watch": m.watch, "": m.check,
		})
		for _, selector := range []string{"", "l=red"} {
			for from := uint64(1); from <= m.s.Version(); from++ {
				checkReplay(t, m.s, from, selector)
			}
		}
		for _, l := range m.live {
			var again []string
			w, err := m.s.Watch("ConfigMap", l.options)
			if err != nil {
				t.Fatal(err)
			}
			w.Open(func(e engine.Event) { again = append(again, string(e.Frame())) })
			if diff := cmp.Diff(again, l.got); diff != "" {
				t.Fatalf("watch %+v (-replayed +live):\n%s", l.options, diff)
			}
		}
	})
}

func checkReplay(t *rapid.T, s *Server, from uint64, selector string) {
	res := s.catalog.byKind["ConfigMap"]
	state := map[string]string{}
	then, err := s.list(res, mustSelect(t, res, selector), &query{resourceVersion: strconv.FormatUint(from, 10), versionMatch: exactMatch})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range then.objects {
		state[o.key] = string(o.JSON())
	}
	w, err := s.Watch("ConfigMap", WatchOptions{ResourceVersion: strconv.FormatUint(from, 10), LabelSelector: selector})
	if err != nil {
		t.Fatal(err)
	}
	last := from
	w.Open(func(e engine.Event) {
		o := e.Revision.(*Object)
		if o.version <= last {
			t.Fatalf("watch from %d: version %d after %d", from, o.version, last)
		}
		last = o.version
		if _, had := state[o.key]; had == (e.Type == engine.Added) {
			t.Fatalf("watch from %d: %s of %s, which was there: %v", from, e.Type, o.key, had)
		}
		if e.Type == engine.Deleted {
			delete(state, o.key)
			return
		}
		state[o.key] = string(o.JSON())
	})
	now := map[string]string{}
	present, err := s.list(res, mustSelect(t, res, selector), &query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range present.objects {
		now[o.key] = string(o.JSON())
	}
	if diff := cmp.Diff(now, state); diff != "" {
		t.Fatalf("watch from %d, selector %q (-list +replayed):\n%s", from, selector, diff)
	}
}

func mustSelect(t *rapid.T, res *resource, selector string) selection {
	sel, err := newSelection(res, "", selector, "")
	if err != nil {
		t.Fatal(err)
	}
	return sel
}
