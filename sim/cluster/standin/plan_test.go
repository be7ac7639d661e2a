package standin_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

var absent = engine.Ref{Kind: "ConfigMap", Namespace: "default", Name: "absent"}

func TestRun(t *testing.T) {
	set := func(value string) map[string]any { return map[string]any{"data": map[string]any{"a": value}} }
	type writes func(s *stage.Stage, p *standin.StandIn) []standin.Write
	for _, c := range []struct {
		name   string
		writes writes
		want   []string
		fails  bool
	}{
		{"one write after the other, 1 ms each", func(_ *stage.Stage, p *standin.StandIn) []standin.Write {
			return []standin.Write{p.PatchMerge(configMap, set("2"), ""), p.PatchMerge(configMap, set("3"), "")}
		}, []string{"1ms part: patch ConfigMap default/one #1", "2ms part: patch ConfigMap default/one #2"}, false},
		{"a failure ends the plan", func(_ *stage.Stage, p *standin.StandIn) []standin.Write {
			return []standin.Write{p.PatchMerge(absent, set("2"), ""), p.PatchMerge(configMap, set("3"), "")}
		}, []string{"1ms part: patch ConfigMap default/absent #1 => 404 NotFound"}, true},
		{"or counts at its end", func(_ *stage.Stage, p *standin.StandIn) []standin.Write {
			first := p.PatchMerge(absent, set("2"), "")
			first.Continue = true
			return []standin.Write{first, p.PatchMerge(configMap, set("3"), "")}
		}, []string{"1ms part: patch ConfigMap default/absent #1 => 404 NotFound", "2ms part: patch ConfigMap default/one #1"}, true},
		{"deleting what is gone is no failure", func(_ *stage.Stage, p *standin.StandIn) []standin.Write {
			return []standin.Write{p.Delete(absent, "", nil)}
		}, []string{"1ms part: delete ConfigMap default/absent #1 => 404 NotFound"}, false},
		{"a stale update conflicts", func(s *stage.Stage, p *standin.StandIn) []standin.Write {
			stale := standin.Edit(s.Object("ConfigMap", "default/one"))
			s.Patch("ConfigMap", "default/one", "", "data: {a: other}")
			return []standin.Write{p.Update(configMap, stale, "")}
		}, []string{"1ms part: update ConfigMap default/one #1 => 409 Conflict"}, true},
		{"a live patch never does", func(s *stage.Stage, p *standin.StandIn) []standin.Write {
			s.Patch("ConfigMap", "default/one", "", "data: {a: other}")
			return []standin.Write{p.PatchLive(configMap, "uid-1", "", func(content map[string]any) bool {
				standin.Set(content, "live", "data", "a")
				return true
			})}
		}, []string{"1ms part: patch ConfigMap default/one #1"}, false},
		{"but not into another object of the name", func(_ *stage.Stage, p *standin.StandIn) []standin.Write {
			return []standin.Write{p.PatchLive(configMap, "uid-0", "", func(map[string]any) bool { return true })}
		}, []string{"1ms part: patch ConfigMap default/one #1 => 404 NotFound"}, true},
		{"an update of what the write before returned", func(s *stage.Stage, p *standin.StandIn) []standin.Write {
			content := standin.Edit(s.Object("ConfigMap", "default/one"))
			standin.Set(content, "2", "data", "a")
			return []standin.Write{p.Update(configMap, content, ""),
				p.UpdateNext(configMap, "", func(content map[string]any) { standin.Set(content, "3", "data", "b") })}
		}, []string{"1ms part: update ConfigMap default/one #1", "2ms part: update ConfigMap default/one #2"}, false},
		{"a patch that tests something else fails", func(_ *stage.Stage, p *standin.StandIn) []standin.Write {
			return []standin.Write{p.PatchJSON(configMap, standin.Replace("/data/a", "9", "2"), "")}
		}, []string{"1ms part: patch ConfigMap default/one #1 => 422 Invalid"}, true},
		{"a patch that tests what is there", func(_ *stage.Stage, p *standin.StandIn) []standin.Write {
			return []standin.Write{p.PatchJSON(configMap, standin.Replace("/data/a", "1", "2"), "")}
		}, []string{"1ms part: patch ConfigMap default/one #1"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := newProcess(t)
			s.Load(configMapOne)
			var result error
			done := false
			p.Run(c.writes(s, p), func(err error) { result, done = err, true })
			s.Engine.Advance(time.Second)
			if !done || (result != nil) != c.fails {
				t.Errorf("want the plan done, failed=%v, found done=%v, error %v", c.fails, done, result)
			}
			if diff := cmp.Diff(c.want, s.Steps()); diff != "" {
				t.Errorf("steps (-want +found):\n%s", diff)
			}
		})
	}
}

// TestPoints: names are what a reader expects.
func TestPoints(t *testing.T) {
	s, p := newProcess(t)
	s.Load(`
apiVersion: v1
kind: Pod
metadata: {name: target, namespace: default, uid: pod-1}
spec: {containers: [{name: compute, image: launcher}]}
`)
	pod := engine.Ref{Kind: "Pod", Namespace: "default", Name: "target"}
	var now int64
	p.Run([]standin.Write{
		p.Bind(pod, "node-a"),
		p.PatchMerge(pod, map[string]any{"status": map[string]any{"phase": "Running"}}, standin.Status),
		p.Create(engine.Ref{Kind: "ConfigMap", Namespace: "default", Name: "new-"}, map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"generateName": "new-", "namespace": "default"}}),
		p.Delete(pod, "pod-1", &now),
	}, nil)
	s.Engine.Advance(time.Second)
	want := []string{
		"1ms part: create Pod default/target binding #1",
		"2ms part: patch Pod default/target status #1",
		"3ms part: create ConfigMap default/new- #1",
		"4ms part: delete Pod default/target #1",
	}
	if diff := cmp.Diff(want, s.Steps()); diff != "" {
		t.Errorf("steps (-want +found):\n%s", diff)
	}
	if s.Object("Pod", "default/target") != nil {
		t.Error("want the pod gone after a delete without grace, found it")
	}
}
