package kubelet

import (
	"cmp"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// relist is how often the kubelet looks at the containers of its node (PLEG,
// kubevirt-behaviour E: relist 1 s).
const relist = time.Second

// state is where a pod is on its node.
type state int

const (
	fresh    state = iota
	network        // CNI ADD waits for the ports
	retrying       // CNI ADD failed; the sandbox is tried again later
	starting       // the containers are being started
	running
	stopping // SIGTERM was sent, or the containers ended by themselves
	ended
)

// A worker takes care of one pod, as the kubelet's pod worker does.
type worker struct {
	k      *Kubelet
	pod    *facts.Pod
	state  state
	ports  []string
	added  time.Duration // when the present CNI ADD began
	poll   func()        // cancels the next poll of CNI ADD; nil if there is none
	cancel func()        // cancels the timer of the present state
	qemu   func()        // cancels the wait for the machine; nil if there is none
	// deleting says that the final delete was sent.
	deleting bool
	// readying says that a write of the Ready condition is under way.
	readying bool
}

// update takes in a new revision of the pod.
func (w *worker) update(pod *facts.Pod) {
	w.pod = pod
	switch {
	case pod.Final() && w.state != ended:
		w.end()
	case pod.Phase == facts.PhaseRunning && w.state < running:
		w.adopt()
	}
	switch {
	case pod.Deleting:
		w.stop()
	case w.state == fresh:
		w.addNetwork()
	case w.state == running:
		w.syncReady()
	}
}

// to enters a state; what the state before waited for no longer happens.
func (w *worker) to(s state) {
	w.state = s
	for _, cancel := range []func(){w.poll, w.cancel} {
		if cancel != nil {
			cancel()
		}
	}
	w.poll, w.cancel = nil, nil
	w.stopWaiting()
}

func (w *worker) timer(detail string, delay time.Duration, run func()) {
	w.cancel = w.k.Timer(w.pod.Ref, detail, delay, func() {
		w.cancel = nil
		run()
	})
}

// adopt takes over a pod that runs already.
func (w *worker) adopt() {
	w.to(running)
	w.plug()
}

// start starts the containers.
func (w *worker) start() {
	w.to(starting)
	w.timer("containers started", w.k.o.StartLatency, func() {
		w.to(running)
		w.waitForMachine()
		w.k.Run([]standin.Write{w.status(runningStatus)}, nil)
	})
}

// syncReady writes the Ready condition when the readiness gates changed.
func (w *worker) syncReady() {
	if w.readying || !readyChanged(w.pod.Content()) {
		return
	}
	w.readying = true
	w.k.Run([]standin.Write{w.status(setReady)}, func(error) { w.readying = false })
}

// exit is the end of the containers by themselves.
func (w *worker) exit(succeeded bool) {
	w.to(stopping)
	now := w.k.Gate.Elapsed()
	delay := (now+relist)/relist*relist - now
	w.timer("containers exited (relist "+relist.String()+")", delay, func() { w.finish(succeeded) })
}

// stop is the kubelet's part in a deletion: SIGTERM, the pod's last status, and
// the delete that makes the API server drop it (kubevirt-behaviour C.5).
func (w *worker) stop() {
	switch w.state {
	case ended:
		w.drop()
	case running:
		w.to(stopping)
		grace := w.grace()
		inTime := w.k.o.StopLatency <= grace // else they are killed
		w.timer("containers stopped", min(w.k.o.StopLatency, grace), func() {
			w.tellExit(inTime)
			w.finish(inTime)
		})
	case stopping:
	default: // nothing runs yet
		w.finish(false)
	}
}

// grace is how long the containers may take to stop.
func (w *worker) grace() time.Duration {
	seconds, ok := standin.Int(w.pod.Content(), "metadata", "deletionGracePeriodSeconds")
	if !ok {
		return w.k.o.StopLatency
	}
	return time.Duration(seconds) * time.Second
}

// finish writes the last status of a pod whose containers are gone.
func (w *worker) finish(succeeded bool) {
	w.end()
	write := w.status(func(content map[string]any, now time.Time) bool { return endedStatus(content, now, succeeded) })
	w.k.Run([]standin.Write{write}, func(error) {
		if w.pod.Deleting {
			w.drop()
		}
	})
}

// end frees what the pod had on the node.
func (w *worker) end() {
	w.to(ended)
	w.unplug()
}

// drop sends the final delete, once.
func (w *worker) drop() {
	if w.deleting {
		return
	}
	w.deleting = true
	var now int64
	w.k.Run([]standin.Write{w.k.Delete(w.pod.Ref, w.pod.UID, &now)}, nil)
}

// vanish is the end of a pod whose object is gone.
func (w *worker) vanish() {
	ran := w.state == running
	w.end()
	if ran {
		w.tellExit(false)
	}
}

func (w *worker) tellExit(succeeded bool) {
	for _, f := range w.k.exited {
		f(w.pod, succeeded)
	}
}

// status is a write of the pod's status.
func (w *worker) status(change func(content map[string]any, now time.Time) bool) standin.Write {
	return w.k.PatchLive(w.pod.Ref, w.pod.UID, standin.Status, func(content map[string]any) bool {
		return change(content, w.k.Gate.Wall())
	})
}

// owner is the "namespace/name" by which the network knows the pod: that of the
// virtual machine, so that both pods of a migration share its ports
// (kubevirt-behaviour C.3).
func (w *worker) owner() string {
	return w.pod.Sibling(cmp.Or(w.pod.Label(facts.LabelVMName), w.pod.Ref.Name))
}
