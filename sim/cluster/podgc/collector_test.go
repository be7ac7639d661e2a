package podgc_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/podgc"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

const node = `
apiVersion: v1
kind: Node
metadata: {name: node-a}
`

func pod(meta, spec, phase string) string {
	return `
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: default` + meta + `}
spec: {` + spec + `containers: [{name: compute, image: i}]}
status: {phase: ` + phase + `}
`
}

// TestNodesUnseen: a collector whose view of nodes is behind asks the API server
// before it takes a pod for orphaned.
func TestNodesUnseen(t *testing.T) {
	s := stage.New(t, engine.Perturbation{Point: "kube-controller-manager: deliver Node node-a ADDED #1", Delay: 5 * time.Minute})
	s.Load(node + "---" + pod("", "nodeName: node-a, ", "Running"))
	if _, err := podgc.New(s.Host(), podgc.Options{}); err != nil {
		t.Fatal(err)
	}
	s.Engine.Advance(time.Hour)
	const tick = " kube-controller-manager: timer Pod collect garbage (every 20s) #"
	if diff := cmp.Diff([]string{"20s" + tick + "1", "1m0s" + tick + "2"}, s.Deeds("kube-controller-manager")); diff != "" {
		t.Errorf("steps (-want +found):\n%s", diff)
	}
	if got := standin.String(s.Object(facts.KindPod, "default/one"), "status", "phase"); got != facts.PhaseRunning {
		t.Errorf("want the pod running, found %q", got)
	}
}

// TestCollector: kubevirt-behaviour C.5, "unscheduled, DELETE with a finalizer:
// PodGC (≤20 s) patches phase=Failed", "Bound, node gone: quarantine 40 s, phase
// Failed + delete"; E: period 20 s.
func TestCollector(t *testing.T) {
	const (
		held  = ", finalizers: [x/y]"
		bound = "nodeName: node-a, "
		gc    = "kube-controller-manager: "
		tick  = gc + "timer Pod collect garbage (every 20s) #"
		fail  = gc + "patch Pod default/one status #1"
		gone  = gc + "delete Pod default/one #1"
	)
	deletePod := func(at time.Duration) func(*stage.Stage) {
		return func(s *stage.Stage) { s.At(at, "delete", func() { s.Delete(facts.KindPod, "default/one") }) }
	}
	deleteNode := func(s *stage.Stage) {
		s.At(30*time.Second, "lose", func() { s.Delete(facts.KindNode, "node-a") })
	}
	for _, c := range []struct {
		name   string
		pod    string
		offset time.Duration
		do     func(s *stage.Stage)
		want   []string
		phase  string // in the end; "" if it is gone
	}{
		{"unscheduled, held by a finalizer", pod(held, "", "Pending"), 0, deletePod(5 * time.Second),
			[]string{"20s " + tick + "1", "20.001s " + fail, "20.002s " + gone}, "Failed"},
		{"ticks with an offset", pod(held, "", "Pending"), 6 * time.Second, deletePod(5 * time.Second),
			[]string{"6s " + tick + "1", "6.001s " + fail, "6.002s " + gone}, "Failed"},
		{"just too late for a tick", pod(held, "", "Pending"), 5 * time.Second, deletePod(5 * time.Second),
			[]string{"25s " + tick + "1", "25.001s " + fail, "25.002s " + gone}, "Failed"},
		{"unscheduled, no finalizer: gone at once", pod("", "", "Pending"), 0, deletePod(5 * time.Second), nil, ""},
		{"the finalizer goes before the tick", pod(held, "", "Pending"), 0, func(s *stage.Stage) {
			deletePod(5 * time.Second)(s)
			s.At(10*time.Second, "let go", func() { s.Patch(facts.KindPod, "default/one", "", "metadata: {finalizers: null}") })
		}, nil, ""},
		{"unscheduled, not in deletion", pod(held, "", "Pending"), 0, func(*stage.Stage) {}, nil, "Pending"},
		{"bound, in deletion: the kubelet's business", pod(held, bound, "Running"), 0, deletePod(5 * time.Second), nil, "Running"},
		{"orphaned", pod("", bound, "Running"), 0, deleteNode,
			[]string{"40s " + tick + "1", "1m20s " + tick + "2", "1m20.001s " + fail, "1m20.002s " + gone}, ""},
		{"orphaned, and ended before", pod("", bound, "Succeeded"), 0, deleteNode,
			[]string{"40s " + tick + "1", "1m20s " + tick + "2", "1m20.001s " + gone}, ""},
		{"the node is back in quarantine", pod("", bound, "Running"), 0, func(s *stage.Stage) {
			deleteNode(s)
			s.At(time.Minute, "back", func() { s.Load(node) })
		}, []string{"40s " + tick + "1"}, "Running"},
		{"the node is back before the tick", pod("", bound, "Running"), 0, func(s *stage.Stage) {
			deleteNode(s)
			s.At(35*time.Second, "back", func() { s.Load(node) })
		}, nil, "Running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			play := func() *stage.Stage {
				s := stage.New(t)
				s.Load(node + "---" + c.pod)
				if _, err := podgc.New(s.Host(), podgc.Options{Offset: c.offset}); err != nil {
					t.Fatal(err)
				}
				c.do(s)
				s.Engine.Advance(time.Hour)
				return s
			}
			s := play()
			if play().Engine.Trace().Hash != s.Engine.Trace().Hash {
				t.Error("want the same trace twice")
			}
			if diff := cmp.Diff(c.want, s.Deeds("kube-controller-manager")); diff != "" {
				t.Errorf("steps (-want +found):\n%s", diff)
			}
			if got := standin.String(s.Object(facts.KindPod, "default/one"), "status", "phase"); got != c.phase {
				t.Errorf("want phase %q, found %q", c.phase, got)
			}
		})
	}
}
