package kubelet

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
)

// A launcher ends by itself if its machine does not appear within 240 s and up to
// 120 s more (kubevirt-behaviour C.3, E: "launcher QEMU wait 240-360 s").
const (
	machineWait   = 240 * time.Second
	machineSpread = 120 // seconds
)

// waitForMachine begins the wait of a launcher that has just started. Where no
// virt-handler plays along, nobody would end it, so there is none.
func (w *worker) waitForMachine() {
	if len(w.k.exited) == 0 || w.pod.Label(facts.LabelApp) != facts.Launcher {
		return
	}
	w.wait("no machine after "+machineWait.String(), machineWait, func() {
		spread := time.Duration(w.k.Gate.Rand().IntN(machineSpread+1)) * time.Second
		w.wait("no machine after "+(machineWait+spread).String(), spread, func() { w.exit(false) })
	})
}

func (w *worker) wait(detail string, delay time.Duration, over func()) {
	w.qemu = w.k.Timer(w.pod.Ref, detail, delay, func() {
		w.qemu = nil
		over()
	})
}

func (w *worker) stopWaiting() {
	if w.qemu != nil {
		w.qemu()
		w.qemu = nil
	}
}
