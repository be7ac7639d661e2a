package kubelet_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// TestMachineWait: kubevirt-behaviour C.3 and E, "launcher exits itself if QEMU
// does not appear within 240 s + rand[0,120] s".
func TestMachineWait(t *testing.T) {
	virt := strings.Replace(plainPod, "uid: pod-1", "uid: pod-1, labels: {kubevirt.io: virt-launcher, kubevirt.io/created-by: vmi-1}", 1)
	remove := func(r *run) { r.At(time.Minute, "delete", func() { r.Delete("Pod", "default/one") }) }
	appear := func(r *run) { r.At(200*time.Second, "appear", func() { r.kubelet.Started("default/one") }) }
	for _, c := range []struct {
		name  string
		pod   string
		do    func(r *run)
		waits int // timers of the wait
		phase string
	}{
		{"no machine", virt, func(*run) {}, 2, "Failed"},
		{"a machine in time", virt, appear, 0, "Running"},
		{"the pod goes before", virt, remove, 0, ""},
		{"no launcher", plainPod, func(*run) {}, 0, "Running"},
		{"a launcher that ran before the kubelet came", strings.Replace(runningLauncher, "labels: {", "labels: {kubevirt.io: virt-launcher, ", 1), func(*run) {}, 0, "Running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, c.pod)
			c.do(r)
			r.Engine.Advance(10 * time.Minute)
			if got := r.Deeds("no machine after"); len(got) != c.waits {
				t.Errorf("want %d timers, found %v", c.waits, got)
			}
			if got := standin.String(r.Object("Pod", "default/one"), "status", "phase"); got != c.phase {
				t.Errorf("want phase %q, found %q", c.phase, got)
			}
		})
	}
	t.Run("the end is 240 to 360 s after the start", func(t *testing.T) {
		r := start(t, virt)
		r.Engine.Advance(10 * time.Minute)
		end, _, _ := strings.Cut(r.Deeds("containers exited")[0], " ")
		at, err := time.ParseDuration(end)
		if err != nil || at < 242*time.Second || at > 363*time.Second {
			t.Errorf("want it between 242 and 363 s, found %s (%v)", end, err)
		}
	})
}

func TestFind(t *testing.T) {
	r := start(t, strings.Replace(plainPod, "uid: pod-1", "uid: pod-1, labels: {kubevirt.io/created-by: vmi-1}", 1))
	find := func() []string {
		return []string{r.kubelet.Find("vmi-1", "node-a"), r.kubelet.Find("vmi-1", "node-b"), r.kubelet.Find("vmi-2", "node-a")}
	}
	r.Engine.Advance(time.Second)
	if diff := cmp.Diff([]string{"", "", ""}, find()); diff != "" {
		t.Errorf("before the containers run (-want +found):\n%s", diff)
	}
	r.Engine.Advance(3 * time.Second)
	if diff := cmp.Diff([]string{"default/one", "", ""}, find()); diff != "" {
		t.Errorf("then (-want +found):\n%s", diff)
	}
}

func TestRuns(t *testing.T) {
	r := start(t, plainPod)
	runs := func() []bool { return []bool{r.kubelet.Runs("default/one"), r.kubelet.Runs("default/two")} }
	r.Engine.Advance(time.Second)
	before := runs()
	r.Engine.Advance(3 * time.Second)
	then := runs()
	r.kubelet.Exit("default/one", true)
	if diff := cmp.Diff([][]bool{{false, false}, {true, false}, {false, false}}, [][]bool{before, then, runs()}); diff != "" {
		t.Errorf("before the containers run, then, after their exit (-want +found):\n%s", diff)
	}
}
