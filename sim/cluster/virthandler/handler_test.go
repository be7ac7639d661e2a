package virthandler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virthandler"
)

// launchers note which pods end, and can end one.
type launchers struct {
	now    func() time.Duration
	exits  []string
	onExit func(*facts.Pod, bool)
	// missing says that there is none to be found; started are those that were
	// told that their domain runs; ended is one that does not run any more.
	missing bool
	started []string
	ended   string
}

func (l *launchers) OnExit(f func(*facts.Pod, bool)) { l.onExit = f }
func (l *launchers) Exit(pod string, succeeded bool) {
	l.exits = append(l.exits, fmt.Sprintf("%s %s %v", l.now(), pod, succeeded))
}

func (l *launchers) Find(_, node string) string {
	if l.missing {
		return ""
	}
	return "default/launcher-on-" + node
}
func (l *launchers) Runs(pod string) bool { return pod != l.ended }
func (l *launchers) Started(pod string)   { l.started = append(l.started, pod) }

const nodes = `
apiVersion: v1
kind: Node
metadata: {name: node-a, labels: {kubevirt.io/schedulable: "false"}}
---
apiVersion: v1
kind: Node
metadata: {name: node-b}
status: {addresses: [{type: Hostname, address: node-b}, {type: InternalIP, address: 192.0.2.2}]}
`

// handedOff is an instance right after virt-controller's hand-off.
const handedOff = `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: vm, namespace: default, uid: vmi-1, labels: {kubevirt.io/nodeName: node-a, kubevirt.io/migrationTargetNodeName: node-b}}
spec: {domain: {devices: {}, memory: {guest: 1536Mi}}}
status:
  phase: Running
  nodeName: node-a
  evacuationNodeName: node-a
  migrationState: {migrationUid: mig-1, sourceNode: node-a, targetNode: node-b, sourcePod: source, targetPod: target}
`

type run struct {
	*stage.Stage
	launchers *launchers
}

func start(t *testing.T, transfer time.Duration, documents string) *run {
	t.Helper()
	return startOptions(t, virthandler.Options{
		Latency: virthandler.DefaultLatency, Prepare: virthandler.DefaultPrepare, Transfer: transfer,
		Start: virthandler.DefaultStart, Shutdown: virthandler.DefaultShutdown,
	}, documents)
}

func startOptions(t *testing.T, o virthandler.Options, documents string) *run {
	t.Helper()
	r := &run{Stage: stage.New(t)}
	r.launchers = &launchers{now: r.Engine.Elapsed}
	r.Load(nodes + "---" + documents)
	o.Launchers = r.launchers
	if _, err := virthandler.New(r.Host(), o); err != nil {
		t.Fatal(err)
	}
	return r
}

// launcher is a pod of the machine.
func launcher(t *testing.T, name, node string) *facts.Pod {
	t.Helper()
	s := stage.New(t)
	s.Load(fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata: {name: %[1]s, namespace: default, uid: %[1]s, labels: {vm.kubevirt.io/name: vm}}
spec: {nodeName: %[2]s, containers: [{name: compute, image: launcher}]}
`, name, node))
	return facts.ReadPod(s.API.List(facts.KindPod, "default")[0])
}

func TestMigration(t *testing.T) {
	abort := func(at time.Duration) func(*testing.T, *run) {
		return func(_ *testing.T, r *run) {
			r.At(at, "abort", func() {
				r.Patch(facts.KindVMI, "default/vm", "", "status: {migrationState: {abortRequested: true}}")
			})
		}
	}
	lose := func(at time.Duration, pod, node string, succeeded bool) func(*testing.T, *run) {
		return func(t *testing.T, r *run) {
			r.At(at, "exit", func() { r.launchers.onExit(launcher(t, pod, node), succeeded) })
		}
	}
	good := map[string]any{"completed": true}
	failed := func(reason string) map[string]any {
		return map[string]any{"completed": true, "failed": true, "failureReason": reason}
	}
	aborted := failed("Live migration aborted by request")
	aborted["abortStatus"], aborted["abortRequested"] = "Succeeded", true
	for _, c := range []struct {
		name     string
		transfer time.Duration
		vmi      string
		do       func(t *testing.T, r *run)
		node     string
		phase    string
		state    map[string]any // completed, failed, failureReason, abortStatus, abortRequested
		exits    []string
	}{
		// D.8: prepare 500 ms, transfer 10 s, one write after each event.
		{name: "succeeds", do: func(*testing.T, *run) {}, node: "node-b", state: good, exits: []string{"10.518s default/source true"}},
		{name: "aborted while it prepares", do: abort(100 * time.Millisecond), node: "node-a", state: aborted, exits: []string{"104ms default/target false"}},
		{name: "aborted while it transfers", do: abort(5 * time.Second), node: "node-a", state: aborted, exits: []string{"5.004s default/target false"}},
		{name: "aborted too late", do: abort(10509 * time.Millisecond), node: "node-b",
			state: map[string]any{"completed": true, "abortRequested": true}, exits: []string{"10.521s default/source true"}},
		{name: "target launcher lost", do: lose(5*time.Second, "target", "node-b", false), node: "node-a",
			state: failed("the target domain was lost"), exits: []string{"5.002s default/target false"}},
		// D.5: virt-controller fails a migration whose target ended before it was
		// prepared. D.7: one that did in TargetReady is failed by its source.
		{name: "target launcher ended before the hand-off", do: func(_ *testing.T, r *run) { r.launchers.ended = "default/target" },
			node: "node-a", state: map[string]any{}},
		{name: "target launcher ends while it prepares", do: func(_ *testing.T, r *run) {
			r.At(100*time.Millisecond, "end", func() { r.launchers.ended = "default/target" })
		}, node: "node-a", state: failed("the target domain was lost"), exits: []string{"509ms default/target false"}},
		{name: "another launcher ended", do: func(_ *testing.T, r *run) { r.launchers.ended = "default/older" },
			node: "node-b", state: good, exits: []string{"10.518s default/source true"}},
		{name: "source launcher stopped", do: lose(5*time.Second, "source", "node-a", true), node: "node-a", phase: "Succeeded",
			state: failed("the source domain was lost")},
		{name: "source launcher lost", do: lose(5*time.Second, "source", "node-a", false), node: "node-a", phase: "Failed",
			state: failed("the source domain was lost")},
		{name: "an older launcher ends", do: lose(5*time.Second, "older", "node-c", false), node: "node-b", state: good, exits: []string{"10.518s default/source true"}},
		// D.6: completionTimeoutPerGiB 150 s, for 2 GiB begun; 400 ms tick.
		{name: "just in time", transfer: 300 * time.Second, do: func(*testing.T, *run) {}, node: "node-b", state: good, exits: []string{"5m0.518s default/source true"}},
		{name: "too slow", transfer: 301 * time.Second, do: func(*testing.T, *run) {}, node: "node-a",
			state: failed("Live migration is not completed after 5m0s and has been aborted"), exits: []string{"5m0.91s default/target false"}},
		{name: "not labelled for a target", vmi: strings.Replace(handedOff, ", kubevirt.io/migrationTargetNodeName: node-b", "", 1),
			do: func(*testing.T, *run) {}, node: "node-a", state: map[string]any{}},
		{name: "instance ends", do: func(_ *testing.T, r *run) {
			r.At(5*time.Second, "end", func() { r.Patch(facts.KindVMI, "default/vm", "", "status: {phase: Failed}") })
		}, node: "node-a", phase: "Failed", state: map[string]any{}},
		{name: "instance vanishes", do: func(_ *testing.T, r *run) {
			r.At(5*time.Second, "delete", func() { r.Delete(facts.KindVMI, "default/vm") })
		}},
		{name: "no migration", vmi: "\napiVersion: kubevirt.io/v1\nkind: VirtualMachineInstance\nmetadata: {name: vm, namespace: default}\nspec: {domain: {devices: {}}}\nstatus: {phase: Running, nodeName: node-a}",
			do: func(*testing.T, *run) {}, node: "node-a", state: map[string]any{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			play := func() *run {
				transfer, vmi := c.transfer, c.vmi
				if transfer == 0 {
					transfer = virthandler.DefaultTransfer
				}
				if vmi == "" {
					vmi = handedOff
				}
				r := start(t, transfer, vmi)
				c.do(t, r)
				r.Engine.Advance(10 * time.Minute)
				return r
			}
			r := play()
			if play().Engine.Trace().Hash != r.Engine.Trace().Hash {
				t.Error("want the same trace twice")
			}
			vmi := r.Object(facts.KindVMI, "default/vm")
			if got := standin.String(vmi, "status", "nodeName"); got != c.node {
				t.Errorf("want node name %q, found %q", c.node, got)
			}
			if got := standin.String(vmi, "status", "phase"); vmi != nil && got != phaseOr(c.phase) {
				t.Errorf("want phase %q, found %q", phaseOr(c.phase), got)
			}
			found := map[string]any{}
			for _, field := range []string{"completed", "failed", "failureReason", "abortStatus", "abortRequested"} {
				if v := standin.Field(vmi, "status", "migrationState", field); v != nil {
					found[field] = v
				}
			}
			if c.state == nil {
				c.state = map[string]any{}
			}
			if diff := cmp.Diff(c.state, found); diff != "" {
				t.Errorf("migration state (-want +found):\n%s", diff)
			}
			if diff := cmp.Diff(c.exits, r.launchers.exits); diff != "" {
				t.Errorf("exits (-want +found):\n%s", diff)
			}
		})
	}
}

func phaseOr(phase string) string {
	if phase == "" {
		return facts.PhaseRunning
	}
	return phase
}

// TestFields: what a whole migration leaves behind (D.8).
func TestFields(t *testing.T) {
	r := start(t, virthandler.DefaultTransfer, handedOff)
	r.Engine.Advance(time.Minute)
	vmi := r.Object(facts.KindVMI, "default/vm")
	want := map[string]any{
		"migrationUid": "mig-1", "sourceNode": "node-a", "targetNode": "node-b", "sourcePod": "source", "targetPod": "target",
		"targetNodeAddress":              "192.0.2.2",
		"targetDirectMigrationNodePorts": map[string]any{"49152": int64(0)},
		"startTimestamp":                 "2030-01-01T00:00:00Z",
		"targetNodeDomainDetected":       true,
		"targetNodeDomainReadyTimestamp": "2030-01-01T00:00:10Z",
		"endTimestamp":                   "2030-01-01T00:00:10Z",
		"completed":                      true,
	}
	if diff := cmp.Diff(want, standin.Map(vmi, "status", "migrationState")); diff != "" {
		t.Errorf("state (-want +found):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"kubevirt.io/nodeName": "node-b"}, standin.Map(vmi, "metadata", "labels")); diff != "" {
		t.Errorf("labels (-want +found):\n%s", diff)
	}
	if got := standin.String(vmi, "status", "evacuationNodeName"); got != "" {
		t.Errorf("want evacuationNodeName cleared, found %q", got)
	}
}

// TestConflict: the whole instance is written, so another's write in between
// makes it conflict; it is tried again.
func TestConflict(t *testing.T) {
	r := start(t, virthandler.DefaultTransfer, handedOff)
	r.At(503500*time.Microsecond, "touch", func() { r.Patch(facts.KindVMI, "default/vm", "", "metadata: {labels: {a: b}}") })
	r.Engine.Advance(time.Minute)
	if got := r.Deeds("update", "Conflict"); len(got) != 1 {
		t.Errorf("want one conflict, found %v", got)
	}
	if got := standin.String(r.Object(facts.KindVMI, "default/vm"), "status", "nodeName"); got != "node-b" {
		t.Errorf("want the machine on node-b, found %q", got)
	}
}

// TestNodeLabel: nodes become schedulable for machines, unless they say otherwise.
func TestNodeLabel(t *testing.T) {
	r := start(t, virthandler.DefaultTransfer, handedOff)
	r.Engine.Advance(time.Second)
	found := map[string]string{}
	for _, n := range []string{"node-a", "node-b"} {
		found[n] = standin.String(r.Object(facts.KindNode, n), "metadata", "labels", facts.LabelSchedulable)
	}
	if diff := cmp.Diff(map[string]string{"node-a": "false", "node-b": "true"}, found); diff != "" {
		t.Errorf("labels (-want +found):\n%s", diff)
	}
}
