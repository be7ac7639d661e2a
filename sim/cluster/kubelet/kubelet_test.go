package kubelet_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/kubelet"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// wire is a network with one port for the machine default/vm.
type wire struct {
	installed bool
	plugged   []string // on these nodes
	changed   func()
}

func (w *wire) PortsOf(pod string) []string {
	if pod == "default/vm" {
		return []string{"port"}
	}
	return nil
}
func (w *wire) Plug(_, node string) { w.plugged = append(w.plugged, node) }
func (w *wire) Unplug(_, node string) {
	w.plugged = slices.DeleteFunc(w.plugged, func(n string) bool { return n == node })
}
func (w *wire) Installed(string, string) bool { return w.installed }
func (w *wire) OnChange(f func())             { w.changed = f }

func (w *wire) set(installed bool) {
	w.installed = installed
	w.changed()
}

const launcher = `
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: default, uid: pod-1, labels: {vm.kubevirt.io/name: vm}}
spec: {nodeName: node-a, containers: [{name: compute, image: launcher}], readinessGates: [{conditionType: kubevirt.io/virtual-machine-unpaused}]}
`

const runningLauncher = `
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: default, uid: pod-1, labels: {vm.kubevirt.io/name: vm}}
spec: {nodeName: node-a, containers: [{name: compute, image: launcher}]}
status: {phase: Running, containerStatuses: [{name: compute, image: launcher, imageID: "", ready: true, restartCount: 0, state: {running: {}}}]}
`

const plainPod = `
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: default, uid: pod-1}
spec: {nodeName: node-a, containers: [{name: compute, image: launcher}]}
`

type run struct {
	*stage.Stage
	wire    *wire
	kubelet *kubelet.Kubelet
	exits   []string
}

func start(t *testing.T, pod string) *run {
	t.Helper()
	return startWith(t, pod, kubelet.Options{StartLatency: kubelet.DefaultStartLatency, StopLatency: kubelet.DefaultStopLatency})
}

func startWith(t *testing.T, pod string, o kubelet.Options) *run {
	t.Helper()
	r := &run{Stage: stage.New(t), wire: &wire{}}
	r.Load(pod)
	var err error
	o.Network = r.wire
	r.kubelet, err = kubelet.New(r.Host(), o)
	if err != nil {
		t.Fatal(err)
	}
	r.kubelet.OnExit(func(pod *facts.Pod, succeeded bool) {
		r.exits = append(r.exits, fmt.Sprintf("%s %s %v", r.Engine.Elapsed(), pod.Key(), succeeded))
	})
	return r
}

const (
	timer = "kubelet: timer Pod default/one "
	patch = "kubelet: patch Pod default/one status #"
)

func TestKubelet(t *testing.T) {
	install := func(at time.Duration) func(*run) {
		return func(r *run) { r.At(at, "install", func() { r.wire.set(true) }) }
	}
	remove := func(at time.Duration) func(*run) {
		return func(r *run) { r.At(at, "delete", func() { r.Delete("Pod", "default/one") }) }
	}
	for _, c := range []struct {
		name    string
		pod     string
		do      func(r *run)
		want    []string
		phase   string // "" is a pod that is gone
		plugged []string
		exits   []string
	}{
		{name: "a pod without ports starts at once", pod: plainPod, do: func(*run) {},
			want: []string{"2.002s " + timer + "containers started #1", "2.003s " + patch + "1"}, phase: "Running"},
		{name: "a port that is there", pod: launcher, do: func(r *run) { r.wire.installed = true },
			want: []string{"2.002s " + timer + "containers started #1", "2.003s " + patch + "1"}, phase: "Running", plugged: []string{"node-a"}},
		// E: "KO CNI wait ≤30 s, poll 500 ms": polls at 2 ms + n·500 ms.
		{name: "the poll after the port came", pod: launcher, do: install(1234 * time.Millisecond),
			want:  []string{"1.502s " + timer + "CNI ADD poll #1", "3.502s " + timer + "containers started #1", "3.503s " + patch + "1"},
			phase: "Running", plugged: []string{"node-a"}},
		{name: "a port that comes exactly at a poll", pod: launcher, do: install(1502 * time.Millisecond),
			want:  []string{"1.502s " + timer + "CNI ADD poll #1", "3.502s " + timer + "containers started #1", "3.503s " + patch + "1"},
			phase: "Running", plugged: []string{"node-a"}},
		{name: "a port that is gone again at the poll", pod: launcher, do: func(r *run) {
			install(1100 * time.Millisecond)(r)
			r.At(1200*time.Millisecond, "uninstall", func() { r.wire.set(false) })
			install(2100 * time.Millisecond)(r)
		}, want: []string{"1.502s " + timer + "CNI ADD poll #1", "2.502s " + timer + "CNI ADD poll #2",
			"4.502s " + timer + "containers started #1", "4.503s " + patch + "1"}, phase: "Running", plugged: []string{"node-a"}},
		// E: "sandbox error backoff 10-15 s"; D.9: "~40 s cycle".
		{name: "a port that never comes", pod: launcher, do: func(*run) {}, want: []string{
			"30.002s " + timer + "CNI ADD timed out after 30s #1", "40.002s " + timer + "sandbox retry after 10s #1",
			"1m10.002s " + timer + "CNI ADD timed out after 30s #2", "1m20.002s " + timer + "sandbox retry after 10s #2",
		}, phase: "Pending", plugged: []string{"node-a"}},
		{name: "a port that comes between two tries", pod: launcher, do: install(35 * time.Second), want: []string{
			"30.002s " + timer + "CNI ADD timed out after 30s #1", "40.002s " + timer + "sandbox retry after 10s #1",
			"42.002s " + timer + "containers started #1", "42.003s " + patch + "1",
		}, phase: "Running", plugged: []string{"node-a"}},
		{name: "a port that comes after the last poll", pod: launcher, do: install(29600 * time.Millisecond), want: []string{
			"30.002s " + timer + "CNI ADD timed out after 30s #1", "40.002s " + timer + "sandbox retry after 10s #1",
			"42.002s " + timer + "containers started #1", "42.003s " + patch + "1",
		}, phase: "Running", plugged: []string{"node-a"}},
		// C.5: "Running, DELETE: grace, SIGTERM, phase Succeeded/Failed, removed".
		{name: "a running pod is deleted", pod: runningLauncher, do: remove(10 * time.Second), want: []string{
			"11.002s " + timer + "containers stopped #1", "11.003s " + patch + "1", "11.004s kubelet: delete Pod default/one #1",
		}, exits: []string{"11.002s default/one true"}},
		{name: "a pod that waits for its port is deleted", pod: launcher, do: remove(10 * time.Second), want: []string{
			"10.003s " + patch + "1", "10.004s kubelet: delete Pod default/one #1"}},
		{name: "a running pod is deleted by force", pod: runningLauncher, do: func(r *run) {
			r.At(10*time.Second, "delete", func() {
				var now int64
				w := standin.New(r.Host(), "timeline").Delete(podRef, "", &now)
				if _, err := w.Do(nil); err != nil {
					t.Fatal(err)
				}
			})
		}, want: []string{"10.002s " + timer + "containers stopped #1", "10.003s " + patch + "1 => 404 NotFound",
			"10.004s kubelet: delete Pod default/one #1 => 404 NotFound"}, exits: []string{"10.002s default/one false"}},
		// E: "PLEG relist 1 s".
		{name: "the containers end by themselves", pod: runningLauncher, do: func(r *run) {
			r.At(10200*time.Millisecond, "exit", func() { r.kubelet.Exit("default/one", true) })
		}, want: []string{"11s " + timer + "containers exited (relist 1s) #1", "11.001s " + patch + "1"}, phase: "Succeeded"},
		{name: "they end with an error, and the pod is deleted meanwhile", pod: runningLauncher, do: func(r *run) {
			r.At(10200*time.Millisecond, "exit", func() { r.kubelet.Exit("default/one", false) })
			remove(10500 * time.Millisecond)(r)
		}, want: []string{"11s " + timer + "containers exited (relist 1s) #1", "11.001s " + patch + "1", "11.002s kubelet: delete Pod default/one #1"}},
		{name: "somebody else ends the pod", pod: runningLauncher, do: func(r *run) {
			r.At(10*time.Second, "end", func() { r.Patch("Pod", "default/one", standin.Status, "status: {phase: Failed}") })
		}, phase: "Failed"},
		{name: "and deletes it", pod: runningLauncher, do: func(r *run) {
			r.At(10*time.Second, "end", func() { r.Patch("Pod", "default/one", standin.Status, "status: {phase: Failed}") })
			remove(20 * time.Second)(r)
		}, want: []string{"20.003s kubelet: delete Pod default/one #1 => 404 NotFound"}},
		{name: "somebody else starts it", pod: launcher, do: func(r *run) {
			r.At(10*time.Second, "start", func() { r.Patch("Pod", "default/one", standin.Status, "status: {phase: Running}") })
		}, phase: "Running", plugged: []string{"node-a", "node-a"}},
		{name: "the readiness gate opens", pod: launcher, do: func(r *run) {
			r.wire.installed = true
			r.At(10*time.Second, "unpause", func() {
				r.Patch("Pod", "default/one", standin.Status, `status: {conditions: [{type: ContainersReady, status: "True"}, {type: Ready, status: "False"}, {type: kubevirt.io/virtual-machine-unpaused, status: "True"}]}`)
			})
		}, want: []string{"2.002s " + timer + "containers started #1", "2.003s " + patch + "1", "10.003s " + patch + "2"}, phase: "Running", plugged: []string{"node-a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, c.pod)
			c.do(r)
			r.Engine.Advance(100 * time.Second)
			if diff := cmp.Diff(c.want, r.Deeds("kubelet: ")); diff != "" {
				t.Errorf("steps (-want +found):\n%s", diff)
			}
			if got := standin.String(r.Object("Pod", "default/one"), "status", "phase"); got != c.phase {
				t.Errorf("want phase %q, found %q", c.phase, got)
			}
			if diff := cmp.Diff(c.plugged, r.wire.plugged); diff != "" && len(c.plugged)+len(r.wire.plugged) > 0 {
				t.Errorf("plugged (-want +found):\n%s", diff)
			}
			if diff := cmp.Diff(c.exits, r.exits); diff != "" {
				t.Errorf("exits (-want +found):\n%s", diff)
			}
		})
	}
}
