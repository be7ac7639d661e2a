package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/scheduler"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

func nodeYAML(name, rest string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {kubernetes.io/hostname: %s}}\n%s", name, name, rest)
}

func podYAML(name, meta, spec string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: default, uid: %s%s}\nspec: {containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]%s}", name, name, meta, spec)
}

const small = "status: {allocatable: {cpu: '1'}}"

func start(t *testing.T) *stage.Stage {
	t.Helper()
	s := stage.New(t)
	if _, err := scheduler.New(s.Host(), scheduler.Options{Latency: scheduler.DefaultLatency}); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScheduler(t *testing.T) {
	for _, c := range []struct {
		name  string
		play  func(s *stage.Stage)
		until time.Duration
		want  []string // steps of pods, but deliveries
	}{
		{"binds after 5 ms", func(s *stage.Stage) {
			s.Load(nodeYAML("node-a", ""))
			s.Load(podYAML("one", "", ""))
		}, time.Second, []string{
			"7ms kube-scheduler: work Pod default/one #1",
			"8ms kube-scheduler: create Pod default/one binding #1"}},
		{"a bound pod takes room before it is seen bound", func(s *stage.Stage) {
			s.Load(nodeYAML("node-a", small))
			s.Load(nodeYAML("node-b", small))
			s.Load(podYAML("one", "", ""))
			s.Load(podYAML("two", "", ""))
		}, time.Second, []string{
			"7ms kube-scheduler: work Pod default/one #1",
			"8ms kube-scheduler: create Pod default/one binding #1",
			"13ms kube-scheduler: work Pod default/two #1",
			"14ms kube-scheduler: create Pod default/two binding #1"}},
		// C.5: "unscheduled, deletionTimestamp set: scheduler skips it".
		{"skips a pod that is being deleted", func(s *stage.Stage) {
			s.Load(nodeYAML("node-a", ""))
			s.Load(podYAML("one", `, finalizers: [x/y], deletionTimestamp: "2030-01-01T00:00:00Z"`, ""))
		}, time.Minute, nil},
		{"leaves pods to other schedulers, and gated ones", func(s *stage.Stage) {
			s.Load(nodeYAML("node-a", ""))
			s.Load(podYAML("one", "", ", schedulerName: other"))
			s.Load(podYAML("two", "", ", schedulingGates: [{name: wait}]"))
		}, time.Minute, nil},
		{"skips a pod that is deleted before its turn", func(s *stage.Stage) {
			s.Load(nodeYAML("node-a", ""))
			s.At(time.Second, "create", func() { s.Load(podYAML("one", `, finalizers: [x/y]`, "")) })
			s.At(time.Second+3*time.Millisecond, "delete", func() { s.Delete("Pod", "default/one") })
		}, time.Minute, []string{"1.007s kube-scheduler: work Pod default/one #1"}},
		// C.5 and E: back-off 1 s·2^(k-1), at most 10 s, looked at each second.
		{"each helpful event is an attempt, with growing back-off", func(s *stage.Stage) {
			s.Load(nodeYAML("node-a", "spec: {unschedulable: true}"))
			s.Load(podYAML("one", "", ", nodeSelector: {disk: ssd}"))
			for i := range 60 {
				s.At(time.Duration(i+1)*500*time.Millisecond, "toggle", func() {
					s.Patch("Node", "node-a", "", fmt.Sprintf("spec: {unschedulable: %v}", i%2 == 1))
				})
			}
		}, 40 * time.Second, []string{
			"7ms kube-scheduler: work Pod default/one #1",
			"8ms kube-scheduler: patch Pod default/one status #1",
			"2s kube-scheduler: timer Pod default/one back-off 1s #1",
			"2.005s kube-scheduler: work Pod default/one #2",
			"5s kube-scheduler: timer Pod default/one back-off 2s #1",
			"5.005s kube-scheduler: work Pod default/one #3",
			"10s kube-scheduler: timer Pod default/one back-off 4s #1",
			"10.005s kube-scheduler: work Pod default/one #4",
			"19s kube-scheduler: timer Pod default/one back-off 8s #1",
			"19.005s kube-scheduler: work Pod default/one #5",
			"30s kube-scheduler: timer Pod default/one back-off 10s #1",
			"30.005s kube-scheduler: work Pod default/one #6"}},
		// C.5: "5 min since last attempt (checked every 30 s)".
		{"without events, after five minutes", func(s *stage.Stage) {
			s.Load(nodeYAML("node-a", "spec: {unschedulable: true}"))
			s.Load(podYAML("one", "", ""))
		}, 12 * time.Minute, []string{
			"7ms kube-scheduler: work Pod default/one #1",
			"8ms kube-scheduler: patch Pod default/one status #1",
			"5m30s kube-scheduler: timer Pod unschedulable for 5m0s #1",
			"5m30.005s kube-scheduler: work Pod default/one #2",
			"11m0s kube-scheduler: timer Pod unschedulable for 5m0s #2",
			"11m0.005s kube-scheduler: work Pod default/one #3"}},
		{"a pod that ends makes room", func(s *stage.Stage) {
			s.Load(nodeYAML("node-a", small))
			s.Load(podYAML("big", "", ", nodeName: node-a"))
			s.Load(podYAML("one", "", ""))
			s.At(20*time.Second, "end", func() { s.Patch("Pod", "default/big", standin.Status, "status: {phase: Succeeded}") })
		}, time.Minute, []string{
			"7ms kube-scheduler: work Pod default/one #1",
			"8ms kube-scheduler: patch Pod default/one status #1",
			"20.007s kube-scheduler: work Pod default/one #2",
			"20.008s kube-scheduler: create Pod default/one binding #1"}},
		{"a toleration that is added", func(s *stage.Stage) {
			s.Load(nodeYAML("node-a", "spec: {taints: [{key: gpu, effect: NoSchedule}]}"))
			s.Load(podYAML("one", "", ""))
			s.At(20*time.Second, "tolerate", func() { s.Patch("Pod", "default/one", "", "spec: {tolerations: [{key: gpu, operator: Exists}]}") })
		}, time.Minute, []string{
			"7ms kube-scheduler: work Pod default/one #1",
			"8ms kube-scheduler: patch Pod default/one status #1",
			"20.007s kube-scheduler: work Pod default/one #2",
			"20.008s kube-scheduler: create Pod default/one binding #1"}},
		{"an unhelpful event", func(s *stage.Stage) {
			s.Load(nodeYAML("node-a", ""))
			s.Load(podYAML("one", "", ", nodeSelector: {disk: ssd}"))
			s.At(20*time.Second, "label", func() { s.Patch("Node", "node-a", "", "metadata: {labels: {disk: hdd}}") })
		}, time.Minute, []string{
			"7ms kube-scheduler: work Pod default/one #1",
			"8ms kube-scheduler: patch Pod default/one status #1"}},
		{"a deleted pod is forgotten", func(s *stage.Stage) {
			s.Load(nodeYAML("node-a", "spec: {unschedulable: true}"))
			s.Load(podYAML("one", "", ""))
			s.At(time.Second, "delete", func() { s.Delete("Pod", "default/one") })
		}, 12 * time.Minute, []string{
			"7ms kube-scheduler: work Pod default/one #1",
			"8ms kube-scheduler: patch Pod default/one status #1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := func() *stage.Stage {
				s := start(t)
				c.play(s)
				s.Engine.Advance(c.until)
				return s
			}
			s := run()
			if again := run(); again.Engine.Trace().Hash != s.Engine.Trace().Hash {
				t.Error("want the same trace twice")
			}
			if diff := cmp.Diff(c.want, s.Deeds("kube-scheduler", " Pod ")); diff != "" {
				t.Errorf("steps (-want +found):\n%s", diff)
			}
		})
	}
}
