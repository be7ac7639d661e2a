package kubelet

import (
	"slices"
	"time"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// ProcessName is the process of the kubelets; one stands for all nodes.
const ProcessName = "kubelet"

// Defaults of the options.
const (
	// DefaultStartLatency is at the lower end of kubevirt-behaviour E, "pod start
	// 2-15 s".
	DefaultStartLatency = 2 * time.Second
	DefaultStopLatency  = time.Second
)

// A Network installs the ports of pods on nodes.
type Network interface {
	// PortsOf are the ports of a virtual machine instance or of a pod, given as
	// "namespace/name".
	PortsOf(pod string) []string
	// Plug and Unplug add and remove a port's interface on a node.
	Plug(port, node string)
	Unplug(port, node string)
	// Installed tells whether traffic of the port reaches the node.
	Installed(port, node string) bool
	// OnChange registers a function to call when Installed may have changed.
	OnChange(func())
}

// Options are what may be set of the kubelet.
type Options struct {
	// StartLatency is the time from a pod's network to its running containers.
	StartLatency time.Duration
	// StopLatency is the time from SIGTERM to the end of the containers; it is
	// cut short by the pod's grace period.
	StopLatency time.Duration
	// Network is what CNI ADD waits for; with nil it succeeds at once.
	Network Network
}

// A Kubelet is the running kubelets.
type Kubelet struct {
	*standin.StandIn
	o       Options
	pods    *standin.View[facts.Pod]
	workers map[string]*worker // by the pod's key
	exited  []func(pod *facts.Pod, succeeded bool)
}

// New starts the kubelets.
func New(h standin.Host, o Options) (*Kubelet, error) {
	k := &Kubelet{StandIn: standin.New(h, ProcessName), o: o, workers: map[string]*worker{}}
	if o.Network == nil {
		k.o.Network = open{}
	}
	k.o.Network.OnChange(k.networkChanged)
	var err error
	k.pods, err = standin.Watch(k.StandIn, facts.KindPod, apiserver.WatchOptions{}, facts.ReadPod, k.podChanged)
	return k, err
}

// open is a network without ports.
type open struct{}

func (open) PortsOf(string) []string       { return nil }
func (open) Plug(string, string)           {}
func (open) Unplug(string, string)         {}
func (open) Installed(string, string) bool { return true }
func (open) OnChange(func())               {}

// OnExit registers a function that is called when the containers of a pod are
// stopped by the kubelet, or vanish with a pod that was deleted by force. It is
// called before any of it reaches the API.
func (k *Kubelet) OnExit(f func(pod *facts.Pod, succeeded bool)) { k.exited = append(k.exited, f) }

func (k *Kubelet) podChanged(ev standin.Event[facts.Pod]) {
	if w := k.workers[ev.Key]; w != nil && (ev.New == nil || ev.New.UID != w.pod.UID) {
		w.vanish()
		delete(k.workers, ev.Key)
	}
	if ev.New == nil || ev.New.NodeName == "" {
		return
	}
	w := k.workers[ev.Key]
	if w == nil {
		w = &worker{k: k}
		k.workers[ev.Key] = w
	}
	w.update(ev.New)
}

// Find is the pod, as "namespace/name", in which the launcher of an instance, given
// by its UID, runs on a node; "" if there is none.
func (k *Kubelet) Find(vmi, node string) string {
	found := ""
	for key, w := range k.workers { // the least key does not depend on the order
		if w.state != running || w.pod.NodeName != node || w.pod.InstanceUID() != vmi {
			continue
		}
		if found == "" || key < found {
			found = key
		}
	}
	return found
}

// Runs says whether the containers of a pod, given as "namespace/name", run.
func (k *Kubelet) Runs(pod string) bool {
	w := k.workers[pod]
	return w != nil && w.state == running
}

// Started tells a launcher that its machine runs: it no longer waits for that.
func (k *Kubelet) Started(pod string) {
	if w := k.workers[pod]; w != nil {
		w.stopWaiting()
	}
}

// networkChanged lets the pods that wait for their network look again.
func (k *Kubelet) networkChanged() {
	keys := make([]string, 0, len(k.workers))
	for key := range k.workers {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		k.workers[key].networkChanged()
	}
}

// Exit ends the containers of a running pod, given as "namespace/name", from
// inside: the kubelet notices at its next look at the node's containers.
func (k *Kubelet) Exit(pod string, succeeded bool) {
	if k.Runs(pod) {
		k.workers[pod].exit(succeeded)
	}
}
