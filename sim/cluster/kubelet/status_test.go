package kubelet_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
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
