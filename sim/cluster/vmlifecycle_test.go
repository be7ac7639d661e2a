package cluster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// guest lets the user inside the machine shut it down, or crash it.
func guest(at time.Duration, action string) func(*world) {
	return func(w *world) {
		w.At(at, "guest", func() {
			w.Patch(facts.KindVMI, "default/vm", "", "metadata: {annotations: {vmreplay/guest: "+action+"}}")
		})
	}
}

func both(fs ...func(*world)) func(*world) {
	return func(w *world) {
		for _, f := range fs {
			f(w)
		}
	}
}

func startManually(w *world) { started(w, facts.RunManual) }

// TestLifecycle: what a machine goes through, from its creation on (A, C).
func TestLifecycle(t *testing.T) {
	const crash, shutdown = facts.GuestCrash, facts.GuestShutdown
	running := []string{"1.028s Pending", "1.056s Scheduling", "3.078s Scheduled", "4.083s Running"}
	manually := []string{"1.514s Pending", "1.542s Scheduling", "3.564s Scheduled", "4.569s Running"}
	add := func(to []string, more ...string) []string { return append(append([]string{}, to...), more...) }
	playVM(t, []vmStory{
		{name: "Always starts", machine: virtualMachine("Always", ""), phases: running,
			statuses: []string{"1.029s Starting", "4.096s Running"}},
		{name: "Manual waits to be asked", machine: virtualMachine("Manual", ""), phases: []string{}, statuses: []string{"1.027s Stopped"}},
		{name: "Manual starts when asked", machine: virtualMachine("Manual", ""), do: startManually, phases: manually,
			statuses: []string{"1.027s Stopped", "1.515s Starting", "4.582s Running"}},
		{name: "Halted does not start", machine: virtualMachine("Halted", ""), phases: []string{}, statuses: []string{"1.027s Stopped"}},
		{name: "running: true is Always (A.1)", machine: strings.Replace(virtualMachine("", ""), "runStrategy: ", "running: true", 1), phases: running},
		{name: "running: false is Halted (A.1)", machine: strings.Replace(virtualMachine("", ""), "runStrategy: ", "running: false", 1), phases: []string{}},
		{name: "both are an error (A.1)", machine: strings.Replace(virtualMachine("Always", ""), "runStrategy", "running: true\n  runStrategy", 1),
			until: 5 * time.Second, phases: []string{}, statuses: []string{}},
		{name: "Halted and asked to start becomes Always (A.3)", machine: virtualMachine("Halted", ""), do: startManually,
			check: func(t *testing.T, w *world) {
				w.want(t, facts.KindVM, "default/vm", "Always", "spec", "runStrategy")
				w.want(t, facts.KindVM, "default/vm", "Running", "status", "printableStatus")
			}},
		{name: "shut down by the guest, Always: started again, without back-off (A.5)", machine: virtualMachine("Always", ""),
			do: guest(10*time.Second, shutdown), phases: add(running, "10.005s Succeeded", "11.014s -", "11.028s Pending", "11.056s Scheduling", "13.078s Scheduled", "14.083s Running")},
		{name: "crash, Always: the same", machine: virtualMachine("Always", ""),
			do: guest(10*time.Second, crash), phases: add(running, "10.005s Failed", "11.014s -", "11.028s Pending", "11.056s Scheduling", "13.078s Scheduled", "14.083s Running")},
		{name: "shut down, RerunOnFailure: stays stopped", machine: virtualMachine("RerunOnFailure", ""),
			do: guest(10*time.Second, shutdown), phases: add(running, "10.005s Succeeded", "11.014s -"),
			check: func(t *testing.T, w *world) {
				w.want(t, facts.KindVM, "default/vm", "Stopped", "status", "printableStatus")
			}},
		{name: "crash, RerunOnFailure: started again", machine: virtualMachine("RerunOnFailure", ""),
			do: guest(10*time.Second, crash), check: func(t *testing.T, w *world) {
				w.want(t, facts.KindVM, "default/vm", "Running", "status", "printableStatus")
				w.want(t, facts.KindVM, "default/vm", nil, "status", "stateChangeRequests")
			}},
		{name: "crash, Manual: stays Failed", machine: virtualMachine("Manual", ""), do: both(startManually, guest(10*time.Second, crash)),
			phases: add(manually, "10.005s Failed"), check: func(t *testing.T, w *world) {
				w.want(t, facts.KindVM, "default/vm", "Stopped", "status", "printableStatus")
			}},
		{name: "crash, Once: stays Failed", machine: virtualMachine("Once", ""), do: guest(10*time.Second, crash), phases: add(running, "10.005s Failed")},
		{name: "a restart: [Stop, Start] (A.4)", machine: virtualMachine("Manual", ""), do: both(startManually, func(w *world) {
			w.At(10*time.Second, "restart", func() {
				w.request("{action: Stop, uid: " + w.uid(facts.KindVMI, "default/vm") + "}, {action: Start}")
			})
		}), statuses: []string{"1.027s Stopped", "1.515s Starting", "4.582s Running", "10.015s Stopping", "11.031s Stopped", "11.07s Starting", "14.137s Running"}},
		{name: "a request to stop another instance is dropped (A.4)", machine: virtualMachine("Manual", ""), do: both(startManually, func(w *world) {
			w.At(10*time.Second, "stop", func() { w.request("{action: Stop, uid: another}") })
		}), phases: manually, check: func(t *testing.T, w *world) {
			w.want(t, facts.KindVM, "default/vm", nil, "status", "stateChangeRequests")
		}},
		{name: "WaitAsReceiver waits, and goes when asked to (A.3)", machine: virtualMachine("WaitAsReceiver", ""), do: func(w *world) {
			w.At(10*time.Second, "delete", func() { w.Delete(facts.KindVM, "default/vm") })
		}, phases: []string{"1.028s Pending", "1.054s WaitingForSync", "10.039s -"}, statuses: []string{"1.029s Starting", "1.067s WaitingForReceiver", "10.015s Terminating", "10.052s -"}},
		{name: "Halted at last", machine: virtualMachine("Always", ""), do: func(w *world) { started(w, facts.RunHalted) },
			statuses: []string{"1.029s Starting", "4.016s Stopping", "5.032s Stopped"}},
		{name: "deleted while it runs (0.5)", machine: virtualMachine("Always", ""), do: func(w *world) {
			w.At(10*time.Second, "delete", func() { w.Delete(facts.KindVM, "default/vm") })
		}, statuses: []string{"1.029s Starting", "4.096s Running", "10.015s Terminating", "11.055s -"},
			check: func(t *testing.T, w *world) {
				w.gone(t, facts.KindVM, "default/vm")
				w.gone(t, facts.KindVMI, "default/vm")
				equal(t, "pods", 0, len(w.API.List(facts.KindPod, "default")))
			}},
		{name: "deleted while nothing runs (0.5)", machine: virtualMachine("Manual", ""), do: func(w *world) {
			w.At(10*time.Second, "delete", func() { w.Delete(facts.KindVM, "default/vm") })
		}, statuses: []string{"1.027s Stopped", "10.013s -"}},
		{name: "a guest that takes too long is destroyed (C.1)", machine: strings.Replace(virtualMachine("Manual", ""), "domain:", "terminationGracePeriodSeconds: 5\n      domain:", 1),
			settings: map[string]string{"virt-handler.shutdown": "6s", "kubelet.stopLatency": "20s"}, do: both(startManually, func(w *world) {
				w.At(10*time.Second, "delete", func() { w.Delete(facts.KindVMI, "default/vm") })
			}), phases: add(manually, "15.005s Failed", "30.029s -")},
	})
}

// TestPodScheduledSurvives: kubevirt-behaviour A.7, "When the VMI is nil the
// mirrored conditions are NOT cleared"; Ready and Failure have rules of their own.
func TestPodScheduledSurvives(t *testing.T) {
	playVM(t, []vmStory{{name: "story", machine: virtualMachine("Manual", "zone: nowhere"), do: both(startManually, func(w *world) {
		w.At(5*time.Second, "delete", func() { w.Delete(facts.KindVMI, "default/vm") })
	}), check: func(t *testing.T, w *world) {
		vm := w.Object(facts.KindVM, "default/vm")
		scheduled, ready := standin.Condition(vm, "PodScheduled"), standin.Condition(vm, "Ready")
		equal(t, "status and conditions", []string{"Stopped", "False", "Unschedulable", "False", "VMINotExists"}, []string{
			field(vm, "status", "printableStatus"), field(scheduled, "status"), field(scheduled, "reason"), field(ready, "status"), field(ready, "reason")})
	}}})
}

// TestStatusFields: kubevirt-behaviour A.8.
func TestStatusFields(t *testing.T) {
	playVM(t, []vmStory{{name: "story", machine: virtualMachine("Always", ""), do: func(w *world) {
		look := func(at time.Duration, want map[string]any) {
			w.At(at, "look", func() {
				found := map[string]any{}
				for _, name := range []string{"created", "ready", "runStrategy", "desiredGeneration", "observedGeneration"} {
					if v := standin.Field(w.Object(facts.KindVM, "default/vm"), "status", name); v != nil {
						found[name] = v
					}
				}
				equal(w.T.(*testing.T), at.String(), want, found)
			})
		}
		look(1030*time.Millisecond, map[string]any{}) // the instance is not in the cache
		look(2*time.Second, map[string]any{"created": true, "runStrategy": "Always", "desiredGeneration": int64(1), "observedGeneration": int64(1)})
		look(9*time.Second, map[string]any{"created": true, "ready": true, "runStrategy": "Always", "desiredGeneration": int64(1), "observedGeneration": int64(1)})
		// The template is the same: the instance takes the new generation over.
		w.At(10*time.Second, "Manual", func() { w.Patch(facts.KindVM, "default/vm", "", "spec: {runStrategy: Manual}") })
		look(11*time.Second, map[string]any{"created": true, "ready": true, "runStrategy": "Manual", "desiredGeneration": int64(2), "observedGeneration": int64(2)})
		// Now it is not.
		otherModel(20 * time.Second)(w)
		look(21*time.Second, map[string]any{"created": true, "ready": true, "runStrategy": "Manual", "desiredGeneration": int64(3), "observedGeneration": int64(2)})
	}}})
}
