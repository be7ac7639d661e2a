package standin_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

func TestReaders(t *testing.T) {
	content := map[string]any{
		"s": "text", "b": true, "i": int64(3), "f": 4.0, "t": "2030-01-01T00:00:01Z",
		"m":    map[string]any{"s": "inner"},
		"list": []any{map[string]any{"n": "1"}, "no object", map[string]any{"n": "2"}},
	}
	whole := func(path ...string) any {
		n, ok := standin.Int(content, path...)
		return []any{n, ok}
	}
	for _, c := range []struct {
		name        string
		found, want any
	}{
		{"string", standin.String(content, "m", "s"), "inner"},
		{"no string", standin.String(content, "b"), ""},
		{"path through a string", standin.String(content, "s", "x"), ""},
		{"bool", standin.Bool(content, "b"), true},
		{"int", whole("i"), []any{int64(3), true}},
		{"whole float", whole("f"), []any{int64(4), true}},
		{"no int", whole("s"), []any{int64(0), false}},
		{"map", standin.Map(content, "m"), map[string]any{"s": "inner"}},
		{"items", standin.Items(content, "list"), []map[string]any{{"n": "1"}, {"n": "2"}}},
		{"time", standin.Time(content, "t"), time.Date(2030, 1, 1, 0, 0, 1, 0, time.UTC)},
		{"no time", standin.Time(content, "s"), time.Time{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.found); diff != "" {
				t.Errorf("value (-want +found):\n%s", diff)
			}
		})
	}
}

// TestEditSharesNothingThatChanges: the original stays as it is.
func TestEditSharesNothingThatChanges(t *testing.T) {
	original := func() map[string]any {
		return map[string]any{
			"metadata": map[string]any{"name": "x", "labels": map[string]any{"a": "1"}},
			"status":   map[string]any{"deep": map[string]any{"a": "1", "b": "2"}},
		}
	}
	content := original()
	edited := standin.Edit(content)
	standin.Set(edited, "9", "status", "deep", "a")
	standin.Set(edited, "9", "metadata", "labels", "a")
	standin.Set(edited, "9", "spec", "new")
	standin.Remove(edited, "status", "deep", "b")
	standin.Remove(edited, "status", "none", "b")
	if diff := cmp.Diff(original(), content); diff != "" {
		t.Errorf("original (-want +found):\n%s", diff)
	}
	want := map[string]any{
		"metadata": map[string]any{"name": "x", "labels": map[string]any{"a": "9"}},
		"spec":     map[string]any{"new": "9"},
		"status":   map[string]any{"deep": map[string]any{"a": "9"}},
	}
	if diff := cmp.Diff(want, edited); diff != "" {
		t.Errorf("edited (-want +found):\n%s", diff)
	}
}

func TestSetCondition(t *testing.T) {
	early := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	late := early.Add(time.Hour)
	content := map[string]any{}
	steps := []struct {
		name    string
		at      time.Time
		status  string
		reason  string
		changed bool
		since   string
	}{
		{"new", early, "False", "Unschedulable", true, "2030-01-01T00:00:00Z"},
		{"the same again", late, "False", "Unschedulable", false, "2030-01-01T00:00:00Z"},
		{"another reason keeps the time", late, "False", "Other", true, "2030-01-01T00:00:00Z"},
		{"another status does not", late, "True", "", true, "2030-01-01T01:00:00Z"},
	}
	for _, s := range steps {
		if got := standin.SetCondition(content, s.at, "PodScheduled", s.status, s.reason, ""); got != s.changed {
			t.Errorf("%s: want changed=%v, found %v", s.name, s.changed, got)
		}
		c := standin.Condition(content, "PodScheduled")
		if standin.String(c, "lastTransitionTime") != s.since || standin.String(c, "status") != s.status {
			t.Errorf("%s: want %s since %s, found %v", s.name, s.status, s.since, c)
		}
	}
	standin.SetCondition(content, late, "Ready", "True", "", "")
	if n := len(standin.Items(content, "status", "conditions")); n != 2 {
		t.Errorf("want 2 conditions, found %d", n)
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b any
		want bool
	}{
		{"maps", map[string]any{"a": []any{"1", nil}}, map[string]any{"a": []any{"1", nil}}, true},
		{"another value", map[string]any{"a": "1"}, map[string]any{"a": "2"}, false},
		{"another length", []any{"1"}, []any{"1", "2"}, false},
		{"a map and nothing", map[string]any{}, nil, false},
		{"nothing and a list", nil, []any{}, false},
		{"text and a map", "1", map[string]any{}, false},
		{"numbers", int64(1), int64(1), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := standin.Equal(c.a, c.b); got != c.want {
				t.Errorf("want %v, found %v", c.want, got)
			}
		})
	}
}
