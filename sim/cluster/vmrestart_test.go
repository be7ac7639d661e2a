package cluster_test

import (
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// otherModel changes what cannot be updated live: every node has either model.
func otherModel(at time.Duration) func(w *world) {
	return func(w *world) {
		w.At(at, "change the CPU model", func() {
			w.Patch(facts.KindVM, "default/vm", "", "spec: {template: {spec: {domain: {cpu: {model: Skylake}}}}}")
		})
	}
}

func restartRequired(w *world) string {
	c := standin.Condition(w.Object(facts.KindVM, "default/vm"), "RestartRequired")
	return standin.String(c, "status") + " " + standin.String(c, "message")
}

const nonLive = "True a non-live-updatable field was changed in the template spec"

// TestRestartRequired: kubevirt-behaviour B.1, and B.6: the fork restarts a machine
// that must restart and is not scheduled yet, stock KubeVirt leaves it.
func TestRestartRequired(t *testing.T) {
	manual := func(do ...func(*world)) func(*world) {
		return func(w *world) {
			started(w, facts.RunManual)
			for _, f := range do {
				f(w)
			}
		}
	}
	placed := func(at time.Duration) func(*world) {
		return func(w *world) { w.At(at, "place", func() { w.place() }) }
	}
	required := func(want string) func(*testing.T, *world) {
		return func(t *testing.T, w *world) { equal(t, "RestartRequired", want, restartRequired(w)) }
	}
	playVM(t, []vmStory{
		{name: "running: shown, nothing done", machine: virtualMachine("Manual", ""), do: manual(otherModel(10 * time.Second)),
			phases: []string{"1.514s Pending", "1.542s Scheduling", "3.564s Scheduled", "4.569s Running"}, check: required(nonLive)},
		{name: "unscheduled, fork: restarted", machine: virtualMachine("Manual", "zone: nowhere"), do: manual(otherModel(5 * time.Second)),
			phases: []string{"1.514s Pending", "1.542s Scheduling", "5.04s Failed", "5.066s -", "5.08s Pending", "5.108s Scheduling"},
			check: func(t *testing.T, w *world) {
				required(" ")(t, w) // the start cleared it
				equal(t, "CPU selector of the new pod", "true", field(w.launcher(), "spec", "nodeSelector", "cpu-model.node.kubevirt.io/Skylake"))
			}},
		{name: "unscheduled, stock: left", settings: map[string]string{"kubevirt.flavour": "stock"},
			machine: virtualMachine("Manual", "zone: nowhere"), do: manual(otherModel(5 * time.Second)),
			phases: []string{"1.514s Pending", "1.542s Scheduling"}, check: required(nonLive)},
		{name: "scheduled already, fork: left", machine: virtualMachine("Manual", ""), do: manual(otherModel(3600 * time.Millisecond)),
			phases: []string{"1.514s Pending", "1.542s Scheduling", "3.564s Scheduled", "4.569s Running"}, check: required(nonLive)},
		// B.6, R6: the deletion of the instance is not in the cache when the request
		// to start is: it is trimmed, and nothing starts the machine again.
		{name: "R6: the request to start is trimmed", machine: virtualMachine("Manual", "zone: nowhere"),
			do: manual(func(w *world) {
				w.At(4*time.Second, "lag", func() { w.Engine.Lag("virt-controller", facts.KindVMI, "", time.Second) })
			}, otherModel(5*time.Second)),
			check: func(t *testing.T, w *world) {
				w.gone(t, facts.KindVMI, "default/vm")
				w.want(t, facts.KindVM, "default/vm", "Stopped", "status", "printableStatus")
				w.want(t, facts.KindVM, "default/vm", nil, "status", "stateChangeRequests")
			}},
		{name: "RestartRequired blocks live updates (B.2)", machine: virtualMachine("Manual", ""),
			do:    manual(otherModel(10*time.Second), func(w *world) { zones(w) }, moved(20*time.Second)),
			check: func(t *testing.T, w *world) { equal(t, "zone of the instance", "-", instanceZone(w)) }},
		{name: "the difference goes, v1.6.2: the condition stays", machine: virtualMachine("Manual", ""),
			do: manual(otherModel(10*time.Second), sameModel(20*time.Second)), check: required(nonLive)},
		{name: "the difference goes, head: so does the condition", machine: virtualMachine("Manual", ""),
			settings: map[string]string{"kubevirt.version": "head"},
			do:       manual(otherModel(10*time.Second), sameModel(20*time.Second)), check: required(" ")},
		{name: "Stage: any difference counts, the instance is never patched", machine: virtualMachine("Manual", "zone: nowhere"),
			settings: map[string]string{"kubevirt.vmRolloutStrategy": "Stage", "kubevirt.flavour": "stock"},
			do:       manual(placed(5 * time.Second)),
			check: func(t *testing.T, w *world) {
				required(nonLive)(t, w)
				equal(t, "zone of the instance", "nowhere", instanceZone(w))
			}},
		{name: "Stage, fork: an unscheduled machine takes its new placement by a restart", machine: virtualMachine("Manual", "zone: nowhere"),
			settings: map[string]string{"kubevirt.vmRolloutStrategy": "Stage"}, do: manual(placed(5 * time.Second)),
			check: func(t *testing.T, w *world) {
				w.want(t, facts.KindVM, "default/vm", "Running", "status", "printableStatus")
			}},
		{name: "a restart clears it", machine: virtualMachine("Manual", ""),
			do: manual(otherModel(10*time.Second), func(w *world) {
				w.Patch(facts.KindNode, "node-b", "", `metadata: {labels: {cpu-model.node.kubevirt.io/Skylake: "true"}}`)
				w.At(20*time.Second, "restart", func() {
					w.request("{action: Stop, uid: " + w.uid(facts.KindVMI, "default/vm") + "}, {action: Start}")
				})
			}), check: func(t *testing.T, w *world) {
				required(" ")(t, w)
				w.want(t, facts.KindVMI, "default/vm", "node-b", "status", "nodeName")
			}},
	})
}

func moved(at time.Duration) func(*world) {
	return func(w *world) {
		w.At(at, "move", func() {
			w.Patch(facts.KindVM, "default/vm", "", "spec: {template: {spec: {nodeSelector: {zone: here}}}}")
		})
	}
}

func sameModel(at time.Duration) func(*world) {
	return func(w *world) {
		w.At(at, "change the CPU model back", func() {
			w.Patch(facts.KindVM, "default/vm", "", "spec: {template: {spec: {domain: {cpu: {model: null}}}}}")
		})
	}
}

func instanceZone(w *world) string {
	return field(w.Object(facts.KindVMI, "default/vm"), "spec", "nodeSelector", "zone")
}
