package standin_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

func TestUpdateCondition(t *testing.T) {
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	one := standin.NewCondition(at, "A", "True", "R", "m")
	for _, c := range []struct {
		name    string
		with    map[string]any
		changed bool
		want    string // lastTransitionTime of A afterwards
		count   int
	}{
		{"the same, later: kept", standin.NewCondition(at.Add(time.Hour), "A", "True", "R", "m"), false, "2030-01-01T00:00:00Z", 1},
		{"another message: replaced as it is", standin.NewCondition(at.Add(time.Hour), "A", "True", "R", "n"), true, "2030-01-01T01:00:00Z", 1},
		{"another status", standin.NewCondition(at.Add(time.Hour), "A", "False", "R", "m"), true, "2030-01-01T01:00:00Z", 1},
		{"another type", standin.NewCondition(at, "B", "True", "", ""), true, "2030-01-01T00:00:00Z", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			content := map[string]any{}
			standin.UpdateCondition(content, one)
			if got := standin.UpdateCondition(content, c.with); got != c.changed {
				t.Errorf("want changed=%v, found %v", c.changed, got)
			}
			found := []any{standin.String(standin.Condition(content, "A"), "lastTransitionTime"), len(standin.Items(content, "status", "conditions"))}
			if diff := cmp.Diff([]any{c.want, c.count}, found); diff != "" {
				t.Errorf("time and number of conditions (-want +found):\n%s", diff)
			}
		})
	}
}

func TestRemoveCondition(t *testing.T) {
	content := map[string]any{}
	for _, kind := range []string{"A", "B"} {
		standin.SetCondition(content, time.Time{}, kind, "True", "", "")
	}
	if standin.RemoveCondition(content, "C") || !standin.RemoveCondition(content, "A") {
		t.Error("want A removed, and C not there")
	}
	if standin.Condition(content, "A") != nil || standin.Condition(content, "B") == nil {
		t.Errorf("want B left alone, found %v", content)
	}
	standin.RemoveCondition(content, "B")
	if standin.Field(content, "status", "conditions") != nil {
		t.Errorf("want no empty list, found %v", content)
	}
}
