package conformance

import (
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

var (
	createOptions = metav1.CreateOptions{FieldManager: "creator"}
	updateOptions = metav1.UpdateOptions{FieldManager: "updater"}
	patchOptions  = metav1.PatchOptions{FieldManager: "patcher"}
)

// kindCases are told of every kind: each checks what that kind does where others
// do something else.
var kindCases = slices.Concat(
	perKind("create, get, list", func(t *trial, s sample) {
		o := s.create(t, "a")
		r := t.resourceOf(o)
		_, _ = r.Get(t.ctx, o.GetName(), metav1.GetOptions{})
		_, _ = r.List(t.ctx, metav1.ListOptions{LabelSelector: s.own(t)})
	}),
	perKind("created twice", func(t *trial, s sample) {
		o := s.create(t, "a")
		o.SetResourceVersion("")
		_, err := t.resourceOf(o).Create(t.ctx, o, createOptions)
		t.noteError("told", err)
	}),
	perKind("created with a resourceVersion", func(t *trial, s sample) {
		o := s.object(t, "a")
		o.SetResourceVersion("5")
		_, err := t.resourceOf(o).Create(t.ctx, o, createOptions)
		t.noteError("told", err)
	}),
	perKind("a name that is refused", func(t *trial, s sample) {
		o := s.object(t, "a")
		o.SetName(s.badName)
		_, err := t.resourceOf(o).Create(t.ctx, o, createOptions)
		t.noteError("told", err)
	}),
	perKind("labels and annotations that are refused", func(t *trial, s sample) {
		o := s.object(t, "a")
		o.SetLabels(map[string]string{"-a": "1", "b": "-", "app": "x"})
		o.SetAnnotations(map[string]string{"a b": "1"})
		o.SetFinalizers([]string{"short"})
		_, _ = t.resourceOf(o).Create(t.ctx, o, createOptions)
	}),
	perKind("generateName", func(t *trial, s sample) {
		o := s.object(t, "a")
		o.SetName("")
		o.SetGenerateName("generated-")
		got := need(t.resourceOf(o).Create(t.ctx, o, createOptions))(t)
		t.note("length of the name", len(got.GetName()))
	}),
	perKind("what a client may not set", func(t *trial, s sample) {
		o := s.object(t, "a")
		o.SetUID("11111111-2222-3333-4444-555555555555")
		o.SetGeneration(7)
		o.SetDeletionGracePeriodSeconds(new(int64(5)))
		now := metav1.Now()
		o.SetDeletionTimestamp(&now)
		o.SetSelfLink("/there")
		got := need(t.resourceOf(o).Create(t.ctx, o, createOptions))(t)
		t.note("uid is kept", got.GetUID() == o.GetUID())
	}),
	perKind("update that changes nothing", func(t *trial, s sample) {
		o := s.create(t, "a")
		got := need(t.resourceOf(o).Update(t.ctx, o, updateOptions))(t)
		t.note("version stays", got.GetResourceVersion() == o.GetResourceVersion())
	}),
	perKind("generation", func(t *trial, s sample) {
		o := s.create(t, "a")
		r := t.resourceOf(o)
		for _, patch := range []string{`{"metadata":{"labels":{"b":"1"}}}`, s.change, s.change, s.status} {
			if patch == "" {
				continue
			}
			_, _ = r.Patch(t.ctx, o.GetName(), types.MergePatchType, []byte(patch), patchOptions)
		}
	}),
	perKind("update on a stale resourceVersion", func(t *trial, s sample) {
		o := s.create(t, "a")
		r := t.resourceOf(o)
		need(r.Patch(t.ctx, o.GetName(), types.MergePatchType, []byte(s.change), patchOptions))(t)
		o.SetLabels(map[string]string{"app": "y"})
		_, err := r.Update(t.ctx, o, updateOptions)
		t.noteError("told", err)
	}),
	perKind("update without a resourceVersion", func(t *trial, s sample) {
		o := s.create(t, "a")
		o.SetResourceVersion("")
		o.SetLabels(map[string]string{"app": "y"})
		_, _ = t.resourceOf(o).Update(t.ctx, o, updateOptions)
	}),
	perKind("update of an object that is not there", func(t *trial, s sample) {
		o := s.object(t, "absent")
		_, err := t.resourceOf(o).Update(t.ctx, o, updateOptions)
		t.noteError("told", err)
	}),
	perKind("update with another uid", func(t *trial, s sample) {
		o := s.create(t, "a")
		o.SetUID("11111111-2222-3333-4444-555555555555")
		_, err := t.resourceOf(o).Update(t.ctx, o, updateOptions)
		t.noteError("told", err)
	}),
	perKind("status subresource", func(t *trial, s sample) {
		o := s.create(t, "a")
		r := t.resourceOf(o)
		status := s.status
		if status == "" {
			status = `{"status":{"phase":"x"}}`
		}
		_, _ = r.Patch(t.ctx, o.GetName(), types.MergePatchType, []byte(status), patchOptions, "status")
		got := need(r.Get(t.ctx, o.GetName(), metav1.GetOptions{}))(t)
		got.SetLabels(map[string]string{"through": "status"})
		got.SetAnnotations(map[string]string{"through": "status"})
		_, err := r.UpdateStatus(t.ctx, got, updateOptions)
		t.noteError("told", err)
	}),
	perKind("patches by their types", func(t *trial, s sample) {
		o := s.create(t, "a")
		r := t.resourceOf(o)
		for pt, patch := range map[types.PatchType]string{types.JSONPatchType: `[{"op":"add","path":"/metadata/labels/b","value":"1"}]`} {
			_, _ = r.Patch(t.ctx, o.GetName(), pt, []byte(patch), patchOptions)
		}
		_, _ = r.Patch(t.ctx, o.GetName(), types.MergePatchType, []byte(`{"metadata":{"labels":{"b":null}}}`), patchOptions)
		_, _ = r.Patch(t.ctx, o.GetName(), types.StrategicMergePatchType, []byte(`{"metadata":{"labels":{"c":"1"},"finalizers":["example.com/a"],"$setElementOrder/finalizers":["example.com/a"]}}`), patchOptions)
		_, _ = r.Patch(t.ctx, o.GetName(), "application/x-unknown", []byte(`{}`), patchOptions)
	}),
	perKind("malformed patches", func(t *trial, s sample) {
		o := s.create(t, "a")
		r := t.resourceOf(o)
		for _, p := range []struct {
			pt   types.PatchType
			data string
		}{
			{types.JSONPatchType, `{"op":"add"}`},
			{types.JSONPatchType, `[{"op":"remove","path":"/metadata/labels/none"}]`},
			{types.JSONPatchType, `[{"op":"test","path":"/metadata/name","value":"other"}]`},
			{types.MergePatchType, `{"metadata":`},
			{types.MergePatchType, `[]`},
		} {
			_, _ = r.Patch(t.ctx, o.GetName(), p.pt, []byte(p.data), patchOptions)
		}
	}),
	perKind("deletion", func(t *trial, s sample) {
		o := s.create(t, "a")
		r := t.resourceOf(o)
		if s.kind != "Namespace" { // its deletion is another one's work
			_ = r.Delete(t.ctx, o.GetName(), metav1.DeleteOptions{})
		}
		_, _ = r.Get(t.ctx, o.GetName()+"x", metav1.GetOptions{})
		_, err := r.Get(t.ctx, o.GetName()+"x", metav1.GetOptions{})
		t.noteError("told", err)
		_ = r.Delete(t.ctx, o.GetName()+"x", metav1.DeleteOptions{})
	}),
	perKind("deletion that a finalizer holds", func(t *trial, s sample) {
		o := s.object(t, "a")
		o.SetFinalizers([]string{"example.com/hold"})
		r := t.resourceOf(o)
		o = need(r.Create(t.ctx, o, createOptions))(t)
		_ = r.Delete(t.ctx, o.GetName(), metav1.DeleteOptions{})
		_ = r.Delete(t.ctx, o.GetName(), metav1.DeleteOptions{})
		_, _ = r.Patch(t.ctx, o.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":["example.com/hold","example.com/new"]}}`), patchOptions)
		_, _ = r.Patch(t.ctx, o.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), patchOptions)
		if s.kind != "Namespace" {
			_, _ = r.Get(t.ctx, o.GetName(), metav1.GetOptions{})
		}
	}),
	perKind("deletion with preconditions", func(t *trial, s sample) {
		o := s.create(t, "a")
		r := t.resourceOf(o)
		other, version := types.UID("11111111-2222-3333-4444-555555555555"), "1"
		for _, p := range []metav1.Preconditions{{UID: &other}, {ResourceVersion: &version}} {
			err := r.Delete(t.ctx, o.GetName(), metav1.DeleteOptions{Preconditions: &p})
			t.noteError("told", err)
		}
	}),
	perKind("dry run", func(t *trial, s sample) {
		o := s.object(t, "a")
		r := t.resourceOf(o)
		_, _ = r.Create(t.ctx, o, metav1.CreateOptions{DryRun: []string{"All"}})
		_, _ = r.Get(t.ctx, o.GetName(), metav1.GetOptions{})
		o = s.create(t, "a")
		got := need(r.Patch(t.ctx, o.GetName(), types.MergePatchType, []byte(s.change), metav1.PatchOptions{DryRun: []string{"All"}}))(t)
		t.note("version stays", got.GetResourceVersion() == o.GetResourceVersion())
		if s.kind != "Namespace" {
			_ = r.Delete(t.ctx, o.GetName(), metav1.DeleteOptions{DryRun: []string{"All"}})
		}
		_, _ = r.Get(t.ctx, o.GetName(), metav1.GetOptions{})
		_, err := r.Patch(t.ctx, o.GetName(), types.MergePatchType, []byte(s.change), metav1.PatchOptions{DryRun: []string{"Some"}})
		t.noteError("told", err)
	}),
	perKind("field selectors", func(t *trial, s sample) {
		o := s.create(t, "a")
		r := t.resourceOf(o)
		for _, selector := range []string{"metadata.name=" + o.GetName(), "metadata.name!=" + o.GetName(), s.selector, "spec.none=x", "a"} {
			if selector != "" {
				_, err := r.List(t.ctx, metav1.ListOptions{FieldSelector: selector, LabelSelector: s.own(t)})
				t.noteError("told", err)
			}
		}
	}),
	perKind("deletion of a collection", func(t *trial, s sample) {
		if s.kind == "Namespace" {
			t.note("a collection of namespaces", "cannot be deleted")
			_ = t.resource("v1", "Namespace").DeleteCollection(t.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "none=none"})
			return
		}
		o := s.create(t, "a")
		s.create(t, "b")
		r := t.resourceOf(o)
		_ = r.DeleteCollection(t.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: s.own(t), FieldSelector: "metadata.name=" + o.GetName()})
		_, _ = r.List(t.ctx, metav1.ListOptions{LabelSelector: s.own(t)})
	}),
	perKind("as a table", func(t *trial, s sample) {
		o := s.create(t, "a")
		code, contentType := t.rawGet(t.pathOf(o), "application/json;as=Table;v=v1;g=meta.k8s.io")
		t.note("table", []any{code, contentType})
	}),
	perKind("metadata only", func(t *trial, s sample) {
		o := s.create(t, "a")
		t.rawGet(t.pathOf(o), "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")
		t.rawGet(t.collectionOf(o)+"?labelSelector="+s.own(t), "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")
	}),
	perKind("only protobuf is accepted", func(t *trial, s sample) {
		o := s.create(t, "a")
		code, contentType := t.rawGet(t.pathOf(o), "application/vnd.kubernetes.protobuf")
		if code != http.StatusOK {
			contentType = "" // of a failure it is whatever can be had
		}
		t.note("protobuf", []any{code, contentType})
	}),
)

// own is a label selector for the case's own objects; those without a namespace
// are shared with other cases.
func (s sample) own(t *trial) string {
	if s.namespaced() {
		return "app=x"
	}
	return "of=" + t.ns
}

// appliedKindCases keep the field managers in the transcript.
var appliedKindCases = managedFields(slices.Concat(
	perKind("server-side apply", func(t *trial, s sample) {
		o := s.object(t, "a")
		r := t.resourceOf(o)
		apply := func(o *unstructured.Unstructured, manager string, force bool) {
			_, err := r.Apply(t.ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: manager, Force: force})
			t.noteError(manager, err)
		}
		apply(o, "one", false)
		apply(o, "one", false)
		o.SetLabels(map[string]string{"app": "z"})
		apply(o, "two", false)
		apply(o, "two", true)
		o.SetLabels(nil)
		apply(o, "two", false)
	}),
	perKind("server-side apply after create and patch", func(t *trial, s sample) {
		t.rec.pause() // who manages what is known from the first apply on
		o := s.create(t, "a")
		r := t.resourceOf(o)
		need(r.Patch(t.ctx, o.GetName(), types.MergePatchType, []byte(s.change), patchOptions))(t)
		t.rec.resume()
		intent := s.object(t, "a")
		intent.SetLabels(map[string]string{"app": "applied"})
		_, err := r.Apply(t.ctx, o.GetName(), intent, metav1.ApplyOptions{FieldManager: "applier"})
		t.noteError("conflict", err)
		_, err = r.Apply(t.ctx, o.GetName(), intent, metav1.ApplyOptions{FieldManager: "applier", Force: true})
		t.noteError("forced", err)
	}),
))

func managedFields(cases []testCase) []testCase {
	for i := range cases {
		cases[i].managed = true
	}
	return cases
}
