package apiserver

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A view that takes parts over from an earlier one equals one decoded afresh,
// whatever was written in between and whichever revisions were looked at.
func TestViewsEqualFreshOnes(t *testing.T) {
	patches := map[string][]string{
		"Pod": {
			`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`, `{"status":{"phase":"Pending","conditions":null}}`,
			`{"metadata":{"labels":{"a":"b"},"annotations":{"c":"d"}}}`, `{"metadata":{"labels":null}}`, `{"metadata":{"finalizers":["a/b"]}}`, `{"metadata":{"finalizers":null}}`,
			`{"spec":{"activeDeadlineSeconds":5}}`, `{"spec":{"activeDeadlineSeconds":null}}`,
			`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u"}]}}`,
		},
		"VirtualMachineInstance": {
			`{"status":{"phase":"Running","nodeName":"node-a"}}`, `{"status":null}`, `{"spec":{"nodeSelector":{"zone":"a"}}}`, `{"spec":{"nodeSelector":null}}`,
			`{"metadata":{"labels":{"a":"b"}}}`, `{"metadata":{"annotations":{"a":"b"}},"status":{"phase":"Failed"}}`,
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		s := New(Options{Seed: 1})
		kind := rapid.SampledFrom([]string{"Pod", "VirtualMachineInstance"}).Draw(t, "kind")
		ref := engine.Ref{Kind: kind, Namespace: "default", Name: "x"}
		o, err := s.Create(map[string]any{"kind": kind, "metadata": map[string]any{"name": "x", "namespace": "default"}})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 8).Draw(t, "writes") {
			subresource := ""
			if kind == "Pod" && rapid.Bool().Draw(t, "through status") {
				subresource = "status"
			}
			patch := rapid.SampledFrom(patches[kind]).Draw(t, "patch")
			switch rapid.IntRange(0, 4).Draw(t, "how") {
			case 0:
				err = s.Delete(ref, metav1.DeleteOptions{})
			case 1:
				_, err = s.Update(withPatch(o, patch), subresource)
			default:
				_, err = s.Patch(ref, types.MergePatchType, []byte(patch), subresource)
			}
			if next, gone := s.Get(ref); gone == nil {
				o = next
			} else {
				return
			}
			if err == nil && rapid.Bool().Draw(t, "look") {
				compareViews(t, o)
			}
		}
		compareViews(t, o)
	})
}

// withPatch is the content that a client sends that read o and changed it. It
// shares nothing with o.
func withPatch(o *Object, patch string) map[string]any {
	var changes, content map[string]any
	for data, into := range map[string]*map[string]any{patch: &changes, string(o.JSON()): &content} {
		decoded, err := decodeObject([]byte(data))
		if err != nil {
			panic(err)
		}
		*into = decoded
	}
	return merge(content, changes)
}

func compareViews(t *rapid.T, o *Object) {
	view, err := o.decode()
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := (&Object{res: o.res, content: o.content}).decode()
	if err != nil {
		t.Fatal(err)
	}
	if !equality.Semantic.DeepEqual(fresh, view) {
		t.Fatalf("%s at %d (-fresh +shared):\n%s", o.ref, o.version, cmp.Diff(fresh, view))
	}
}
