package virtcontroller_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller"
)

// TestLostEvent: kubevirt-behaviour 0.3; the event of the controller's own write is
// held. v1.6.2 waits for another event once 5 minutes are over, newer versions come
// back by themselves.
func TestLostEvent(t *testing.T) {
	for _, c := range []struct {
		name string
		head bool
		poke time.Duration // when an event of a pod comes; 0 never
		want []string
	}{
		{"v1.6.2, no event", false, 0, nil},
		{"v1.6.2, an event too early", false, 4 * time.Minute, nil},
		{"v1.6.2, an event later", false, 6 * time.Minute, []string{"6m0.013s"}},
		{"head, no event", true, 0, []string{"5m0.043s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startWith(t, virtcontroller.Options{Head: c.head}, young("Pending", "", ""), own("phase: Pending"))
			s.Engine.Advance(3 * time.Millisecond)
			s.Engine.Hold("virt-controller", facts.KindVMI, "")
			// A first event wakes the key while the expectation is open.
			s.At(20*time.Millisecond, "poke", func() { s.Patch(facts.KindPod, "default/launcher", "", "metadata: {labels: {a: b}}") })
			if c.poke > 0 {
				s.At(c.poke, "poke", func() { s.Patch(facts.KindPod, "default/launcher", "", "metadata: {labels: {a: c}}") })
			}
			s.Engine.Advance(8 * time.Minute)
			// The second write is made from a cache that the first is not in.
			var found []string
			for _, step := range withoutRest(s.Deeds("update VirtualMachineInstance", "Conflict")) {
				at, _, _ := strings.Cut(step, " ")
				found = append(found, at)
			}
			if diff := cmp.Diff(c.want, found); diff != "" {
				t.Errorf("second write (-want +found):\n%s", diff)
			}
		})
	}
}

// TestFailedPods: kubevirt-behaviour B.6, "022 keeps 3 newest failed launcher pods
// per VMI"; stock KubeVirt keeps all.
func TestFailedPods(t *testing.T) {
	docs := []string{young("Running", "", ", nodeName: node-a"), own(podRunning)}
	for i := range 5 {
		docs = append(docs, strings.NewReplacer("launcher,", fmt.Sprintf("failed%d,", i), "finalizers: [x/y], ", "",
			"namespace: default,", fmt.Sprintf(`namespace: default, creationTimestamp: "2029-12-31T23:0%d:00Z",`, i)).Replace(own("phase: Failed")))
	}
	for _, c := range []struct {
		name  string
		stock bool
		want  []string
	}{
		{"fork", false, []string{"failed2", "failed3", "failed4", "launcher"}},
		{"stock", true, []string{"failed0", "failed1", "failed2", "failed3", "failed4", "launcher"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startWith(t, virtcontroller.Options{Stock: c.stock}, docs...)
			s.Engine.Advance(time.Second)
			var left []string
			for _, o := range s.API.List(facts.KindPod, "default") {
				left = append(left, o.Ref().Name)
			}
			if diff := cmp.Diff(c.want, left); diff != "" {
				t.Errorf("pods (-want +found):\n%s", diff)
			}
		})
	}
}

// TestContainerName: kubevirt-behaviour B.6, "container name d8v-compute".
func TestContainerName(t *testing.T) {
	for stock, want := range map[bool]string{false: "d8v-compute", true: "compute"} {
		s := startWith(t, virtcontroller.Options{Stock: stock}, young("Pending", "", ""))
		s.Engine.Advance(time.Second)
		pods := s.API.List(facts.KindPod, "default")
		if len(pods) != 1 {
			t.Fatalf("stock=%v: want one pod, found %d", stock, len(pods))
		}
		if got := standin.String(standin.Items(pods[0].Content(), "spec", "containers")[0], "name"); got != want {
			t.Errorf("stock=%v: want the container %q, found %q", stock, want, got)
		}
	}
}

// TestNodeLost: kubevirt-behaviour C.1, "node lost: no heartbeat 5 min", E "re-check
// 1 min". The instance's pod has ended, but nobody on the node says so for the
// instance.
func TestNodeLost(t *testing.T) {
	const node = `
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {conditions: [{type: Ready, status: "True"}]}
`
	notReady := "status: {conditions: [{type: Ready, status: Unknown}]}"
	for _, c := range []struct {
		name   string
		ended  time.Duration // of the pod; 0 never
		back   time.Duration // of the node; 0 never
		phases []string
	}{
		{"pod ended before", time.Minute, 0, []string{"6m0.003s Failed"}},
		{"pod ends between two looks", 7*time.Minute + 10*time.Second, 0, []string{"8m0.003s Failed"}},
		{"a live pod keeps the instance", 0, 0, nil},
		{"the node is back in time", time.Minute, 5 * time.Minute, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startWith(t, virtcontroller.Options{}, young("Running", "", ", nodeName: node-a"), own(podRunning), node)
			phases := s.Watch(facts.KindVMI, "default/vm", "status", "phase")
			*phases = nil
			s.At(time.Minute, "lose", func() { s.Patch(facts.KindNode, "node-a", standin.Status, notReady) })
			if c.ended > 0 {
				s.At(c.ended, "end", func() { s.Patch(facts.KindPod, "default/launcher", standin.Status, "status: {phase: Failed}") })
			}
			if c.back > 0 {
				s.At(c.back, "back", func() {
					s.Patch(facts.KindNode, "node-a", standin.Status, `status: {conditions: [{type: Ready, status: "True"}]}`)
				})
			}
			s.Engine.Advance(time.Hour)
			var failed []string
			for _, p := range *phases {
				if strings.HasSuffix(p, "Failed") {
					failed = append(failed, p)
				}
			}
			if diff := cmp.Diff(c.phases, failed); diff != "" {
				t.Errorf("phases (-want +found):\n%s", diff)
			}
			if timers := s.Deeds("timer Node"); len(timers) > 2 {
				t.Errorf("want no look that finds nothing, found %v", timers)
			}
		})
	}
}
