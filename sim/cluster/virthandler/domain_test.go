package virthandler_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virthandler"
)

// scheduled is an instance right after virt-controller handed it over.
const scheduled = `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: vm, namespace: default, uid: vmi-1, finalizers: [x/y], labels: {kubevirt.io/nodeName: node-a}}
spec: {domain: {devices: {}}}
status: {phase: Scheduled, nodeName: node-a}
`

// TestDomain: kubevirt-behaviour C.1, the rows of virt-handler.
func TestDomain(t *testing.T) {
	launcher := func(uid, node string) *facts.Pod {
		r := start(t, 0, "\napiVersion: v1\nkind: Pod\nmetadata: {name: launcher-on-"+node+", namespace: default, labels: {vm.kubevirt.io/name: vm, kubevirt.io/created-by: "+uid+
			"}}\nspec: {nodeName: "+node+", containers: [{name: compute, image: i}]}")
		return facts.ReadPod(r.API.List(facts.KindPod, "default")[0])
	}
	ends := func(at time.Duration, uid, node string, succeeded bool) func(*run) {
		pod := launcher(uid, node)
		return func(r *run) { r.At(at, "exit", func() { r.launchers.onExit(pod, succeeded) }) }
	}
	remove := func(at time.Duration) func(*run) {
		return func(r *run) { r.At(at, "delete", func() { r.Delete(facts.KindVMI, "default/vm") }) }
	}
	guest := func(at time.Duration, action string) func(*run) {
		return func(r *run) {
			r.At(at, "guest", func() {
				r.Patch(facts.KindVMI, "default/vm", "", "metadata: {annotations: {vmreplay/guest: "+action+"}}")
			})
		}
	}
	running := "1.005s Running"
	for _, c := range []struct {
		name    string
		vmi     string
		missing bool // no launcher is found
		do      func(r *run)
		want    []string // phases from Scheduled on
		exits   []string
	}{
		{"Scheduled: the domain starts", scheduled, false, func(*run) {}, []string{running}, nil},
		{"the guest shuts down", scheduled, false, guest(10*time.Second, "shutdown"),
			[]string{running, "10.005s Succeeded"}, []string{"10.003s default/launcher-on-node-a true"}},
		{"the guest crashes", scheduled, false, guest(10*time.Second, "crash"),
			[]string{running, "10.005s Failed"}, []string{"10.003s default/launcher-on-node-a false"}},
		{"the guest does what is not known", scheduled, false, guest(10*time.Second, "dance"), []string{running}, nil},
		{"a guest that is not running yet waits", scheduled, false, guest(500*time.Millisecond, "shutdown"),
			[]string{running, "1.01s Succeeded"}, []string{"1.008s default/launcher-on-node-a true"}},
		{"deleted: the guest is shut down", scheduled, false, remove(10 * time.Second),
			[]string{running, "11.005s Succeeded"}, []string{"11.003s default/launcher-on-node-a true"}},
		{"deleted before it runs", scheduled, false, remove(500 * time.Millisecond),
			[]string{"1.505s Failed"}, []string{"1.503s default/launcher-on-node-a true"}},
		{"its launcher ends well", scheduled, false, ends(10*time.Second, "vmi-1", "node-a", true), []string{running, "10.002s Succeeded"}, nil},
		{"its launcher fails", scheduled, false, ends(10*time.Second, "vmi-1", "node-a", false), []string{running, "10.002s Failed"}, nil},
		{"its launcher ends before the domain runs", scheduled, false, ends(500*time.Millisecond, "vmi-1", "node-a", true), []string{"502ms Failed"}, nil},
		{"an earlier instance's launcher ends", scheduled, false, ends(10*time.Second, "vmi-0", "node-a", false), []string{running}, nil},
		// "launcher unresponsive / watchdog (30 s)".
		{"no launcher", scheduled, true, func(*run) {}, []string{"30.005s Failed"}, nil},
		{"a launcher in time", scheduled, true, func(r *run) {
			r.At(20*time.Second, "appear", func() { r.launchers.missing = false })
		}, []string{"31.006s Running"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, virthandler.DefaultTransfer, c.vmi)
			r.launchers.missing = c.missing
			phases := r.Watch(facts.KindVMI, "default/vm", "status", "phase")
			*phases = nil
			c.do(r)
			r.Engine.Advance(time.Minute)
			var found []string
			for _, p := range *phases {
				if !strings.HasSuffix(p, " Scheduled") {
					found = append(found, p)
				}
			}
			if diff := cmp.Diff(c.want, found); diff != "" {
				t.Errorf("phases (-want +found):\n%s", diff)
			}
			if diff := cmp.Diff(c.exits, r.launchers.exits); diff != "" {
				t.Errorf("exits (-want +found):\n%s", diff)
			}
		})
	}
}

// TestGraceEnds: C.1, "crash, or destroyed after grace: Failed".
func TestGraceEnds(t *testing.T) {
	for _, c := range []struct {
		name     string
		shutdown time.Duration
		want     string
	}{
		{"in time", 30 * time.Second, "Succeeded"},
		{"too slow", 31 * time.Second, "Failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := startOptions(t, virthandler.Options{Latency: virthandler.DefaultLatency, Start: virthandler.DefaultStart, Shutdown: c.shutdown}, scheduled)
			r.At(10*time.Second, "delete", func() { r.Delete(facts.KindVMI, "default/vm") })
			r.Engine.Advance(time.Minute)
			if got := standin.String(r.Object(facts.KindVMI, "default/vm"), "status", "phase"); got != c.want {
				t.Errorf("want %s, found %q", c.want, got)
			}
		})
	}
}

// TestRunningFields: what others see of a domain that runs.
func TestRunningFields(t *testing.T) {
	r := start(t, virthandler.DefaultTransfer, scheduled)
	r.Engine.Advance(5 * time.Second)
	o := r.Object(facts.KindVMI, "default/vm")
	if got := standin.String(standin.Condition(o, "LiveMigratable"), "status"); got != "True" {
		t.Errorf("want LiveMigratable, found %q", got)
	}
	if diff := cmp.Diff([]string{"default/launcher-on-node-a"}, r.launchers.started); diff != "" {
		t.Errorf("launchers that were told (-want +found):\n%s", diff)
	}
}
