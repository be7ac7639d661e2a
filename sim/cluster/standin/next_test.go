package standin_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// TestNext: a plan goes on with what its writes came to, and a key is at work
// until the last of it is done.
func TestNext(t *testing.T) {
	s, p := newProcess(t)
	s.Load(configMapOne)
	set := func(value string) standin.Write {
		return p.PatchMerge(configMap, map[string]any{"data": map[string]any{"a": value}}, "")
	}
	var seen []string
	q := p.NewQueue(standin.QueueOptions{Kind: "ConfigMap"}, func(string) standin.Plan {
		return standin.Then(set("2"), func(written *apiserver.Object, failed error) standin.Plan {
			seen = append(seen, standin.String(written.Content(), "data", "a"))
			next := standin.Then(p.PatchMerge(absent, map[string]any{}, ""), func(written *apiserver.Object, failed error) standin.Plan {
				if written != nil || failed == nil {
					t.Errorf("want a failure and no object, found %v, %v", written, failed)
				}
				return standin.Plan{Writes: []standin.Write{set("3")}, Err: errors.New("in the end")}
			})
			next.Err = errors.New("nobody sees this one")
			return next
		})
	})
	q.Add("default/one")
	q.Add("default/one") // waits for its turn
	s.Engine.Advance(7 * time.Millisecond)
	want := []string{
		"0s part: work ConfigMap default/one #1",
		"1ms part: patch ConfigMap default/one #1",
		"2ms part: patch ConfigMap default/absent #1 => 404 NotFound",
		"3ms part: patch ConfigMap default/one #2",
	}
	if diff := cmp.Diff(want, s.Steps()); diff != "" {
		t.Errorf("steps (-want +found):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"2"}, seen); diff != "" {
		t.Errorf("what the write returned (-want +found):\n%s", diff)
	}
	var retries []string
	for _, n := range s.Engine.Trace().Notes {
		retries = append(retries, n.Text)
	}
	if diff := cmp.Diff([]string{"in the end"}, retries); diff != "" {
		t.Errorf("failures (-want +found):\n%s", diff)
	}
}
