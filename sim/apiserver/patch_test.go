package apiserver

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

func TestPatch(t *testing.T) {
	const vm = `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: vm, namespace: default, labels: {a: "1", b: "2"}}
spec: {running: true, list: [1, 2], template: {spec: {nodeSelector: {zone: a}}}}
`
	for _, tc := range []struct {
		name, pt, patch string
		want            map[string]any // the spec
	}{
		{"merge changes one field", "application/merge-patch+json", `{"spec":{"running":false}}`,
			map[string]any{"running": false, "list": []any{int64(1), int64(2)}, "template": map[string]any{"spec": map[string]any{"nodeSelector": map[string]any{"zone": "a"}}}}},
		{"merge removes by null, replaces lists", "application/merge-patch+json", `{"spec":{"running":null,"list":[3],"template":{"spec":{"nodeSelector":{"zone":null,"rack":"r"}}}}}`,
			map[string]any{"list": []any{int64(3)}, "template": map[string]any{"spec": map[string]any{"nodeSelector": map[string]any{"rack": "r"}}}}},
		{"merge makes objects without nulls", "application/merge-patch+json", `{"spec":{"template":{"new":{"x":1,"y":null}},"list":null}}`,
			map[string]any{"running": true, "template": map[string]any{"new": map[string]any{"x": int64(1)}, "spec": map[string]any{"nodeSelector": map[string]any{"zone": "a"}}}}},
		{"JSON patch", "application/json-patch+json", `[{"op":"test","path":"/spec/running","value":true},{"op":"replace","path":"/spec/running","value":false},{"op":"add","path":"/spec/list/-","value":3},{"op":"remove","path":"/spec/template"}]`,
			map[string]any{"running": false, "list": []any{int64(1), int64(2), int64(3)}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _ := newTestServer(t)
			before := mustCreate(t, s, vm)
			copied := string(AppendJSON(nil, before.content))
			after, err := s.Patch(before.Ref(), types.PatchType(tc.pt), []byte(tc.patch), "")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, after.content["spec"]); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
			if now := string(AppendJSON(nil, before.content)); now != copied {
				t.Errorf("the patch modified the earlier revision:\n%s\n%s", copied, now)
			}
			if again, err := s.Get(before.Ref()); err != nil || again != after {
				t.Errorf("want the patched revision to be stored, got %v, %v", again, err)
			}
		})
	}
}

// The merge of maps does what the library does that kube-apiserver uses.
func TestMergeAgreesWithLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		target, patch := jsonObject(t, "target", 3, false), jsonObject(t, "patch", 3, true)
		want, err := jsonpatch.MergePatch(AppendJSON(nil, target), AppendJSON(nil, patch))
		if err != nil {
			t.Fatal(err)
		}
		var wanted any
		if err := json.Unmarshal(want, &wanted); err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal(AppendJSON(nil, merge(target, patch)), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Fatalf("target %s\npatch %s\n(-library +ours):\n%s", AppendJSON(nil, target), AppendJSON(nil, patch), diff)
		}
	})
}

// JSON patches do what that library does.
func TestJSONPatchAgreesWithLibrary(t *testing.T) {
	pointers := []string{"/a", "/b", "/a/b", "/a/0", "/a/-", "/a/-1", "/a/7", "/b/c/a", "/b/a/b", "/c", "/a~1b", "", "a", "x/a", "/a/x"}
	rapid.Check(t, func(t *rapid.T) {
		target := jsonObject(t, "target", 3, false)
		target["list"] = []any{int64(1), map[string]any{"a": int64(2)}}
		pointer := rapid.SampledFrom(append(pointers, "/list", "/list/0", "/list/1/a", "/list/2", "/list/-"))
		var ops []any
		for range rapid.IntRange(1, 4).Draw(t, "operations") {
			op := map[string]any{"op": rapid.SampledFrom([]string{"add", "remove", "replace", "test", "copy", "move", "x"}).Draw(t, "op"),
				"path": pointer.Draw(t, "path"), "from": pointer.Draw(t, "from")}
			op["value"] = jsonValue(t, "value", 1, true)
			ops = append(ops, op)
		}
		data := AppendJSON(nil, ops)
		patch, err := jsonpatch.DecodePatch(data)
		if err != nil {
			t.Fatal(err)
		}
		want, failed := patch.Apply(AppendJSON(nil, target))
		if failed == nil && want[0] != '{' {
			return // a document that is no object is refused afterwards
		}
		before := string(AppendJSON(nil, target))
		got, err := applyJSONPatch(&Object{content: target}, data)
		if after := string(AppendJSON(nil, target)); after != before {
			t.Fatalf("the patch modified what it was given: %s", after)
		}
		if (failed != nil) != (err != nil) {
			t.Fatalf("document %s\npatch %s\nlibrary: %s, %v\nours: %s, %v", before, data, want, failed, AppendJSON(nil, got), err)
		}
		if err != nil {
			return
		}
		var wanted, gotten any
		if json.Unmarshal(want, &wanted) != nil || json.Unmarshal(AppendJSON(nil, got), &gotten) != nil {
			t.Fatalf("no JSON: %s", want)
		}
		if diff := cmp.Diff(wanted, gotten); diff != "" {
			t.Fatalf("document %s\npatch %s\n(-library +ours):\n%s", before, data, diff)
		}
	})
}

// jsonObject draws a small object; nulls only where they are asked for.
func jsonObject(t *rapid.T, label string, depth int, nulls bool) map[string]any {
	m := map[string]any{}
	for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID[string]).Draw(t, label) {
		m[k] = jsonValue(t, label+"."+k, depth-1, nulls)
	}
	return m
}

func jsonValue(t *rapid.T, label string, depth int, nulls bool) any {
	kind := rapid.IntRange(0, 6).Draw(t, label+" kind")
	switch {
	case kind == 0 && nulls:
		return nil
	case kind <= 1:
		return rapid.Int64Range(-5, 5).Draw(t, label)
	case kind == 2:
		return rapid.String().Draw(t, label)
	case kind == 3:
		return rapid.Bool().Draw(t, label)
	case kind == 4:
		return []any{"x", rapid.Float64Range(-1, 1).Draw(t, label)}
	case depth > 0:
		return jsonObject(t, label, depth, nulls)
	}
	return "leaf"
}
