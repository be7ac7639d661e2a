package kubelet_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/kubelet"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

var podRef = engine.Ref{Kind: facts.KindPod, Namespace: "default", Name: "one"}

// TestReadiness: a container's readiness, which IsPodReady looks at (C.1), and the
// pod's, which waits for the readiness gate, are two things.
func TestReadiness(t *testing.T) {
	r := start(t, launcher)
	r.wire.installed = true
	status := func(kind string) string {
		return standin.String(standin.Condition(r.Object("Pod", "default/one"), kind), "status")
	}
	r.Engine.Advance(5 * time.Second)
	o, err := r.API.Get(podRef)
	if err != nil {
		t.Fatal(err)
	}
	if pod := facts.ReadPod(o); !pod.Ready {
		t.Error("want IsPodReady with running containers, found not")
	}
	found := map[string]string{"ContainersReady": status("ContainersReady"), "Ready": status("Ready")}
	if diff := cmp.Diff(map[string]string{"ContainersReady": "True", "Ready": "False"}, found); diff != "" {
		t.Errorf("closed gate (-want +found):\n%s", diff)
	}
	gate := standin.New(r.Host(), "virt-controller").PatchLive(podRef, "pod-1", standin.Status, func(content map[string]any) bool {
		return standin.SetCondition(content, r.Engine.Wall(), facts.GateUnpaused, "True", "", "")
	})
	if _, err := gate.Do(nil); err != nil {
		t.Fatal(err)
	}
	r.Engine.Advance(6 * time.Second)
	if status("Ready") != "True" {
		t.Errorf("want the pod Ready with an open gate, found %q", status("Ready"))
	}
	r.Delete("Pod", "default/one")
	r.Engine.Advance(7*time.Second + 3*time.Millisecond)
	for _, c := range standin.Items(r.Object("Pod", "default/one"), "status", "containerStatuses") {
		if standin.Bool(c, "ready") || standin.Map(c, "state", "terminated") == nil {
			t.Errorf("want the container terminated, found %v", c)
		}
	}
}

// TestKilled: containers that do not end within the grace period are killed.
func TestKilled(t *testing.T) {
	for _, c := range []struct {
		name string
		stop time.Duration // that the containers need
		want string
	}{
		{"just in time", 10 * time.Second, "11.002s default/one true"},
		{"too slow", 11 * time.Second, "11.002s default/one false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := startWith(t, runningLauncher, kubelet.Options{StopLatency: c.stop})
			r.At(time.Second, "delete", func() {
				grace := int64(10)
				w := standin.New(r.Host(), "timeline").Delete(podRef, "", &grace)
				if _, err := w.Do(nil); err != nil {
					t.Fatal(err)
				}
			})
			r.Engine.Advance(time.Minute)
			if diff := cmp.Diff([]string{c.want}, r.exits); diff != "" {
				t.Errorf("exits (-want +found):\n%s", diff)
			}
		})
	}
}
