package kubelet

import (
	"slices"
	"time"
)

// CNI ADD polls every 500 ms for at most 30 s whether the ports are installed; a
// failed sandbox is tried again after 10 s, so a cycle takes 40 s
// (kubevirt-behaviour E: "KO CNI wait", "sandbox error backoff").
const (
	pollInterval = 500 * time.Millisecond
	addTimeout   = 30 * time.Second
	sandboxRetry = 10 * time.Second
)

// addNetwork begins CNI ADD.
func (w *worker) addNetwork() {
	w.to(network)
	w.added = w.k.Gate.Elapsed()
	w.plug()
	if w.installed() {
		w.start()
		return
	}
	w.timer("CNI ADD timed out after "+addTimeout.String(), addTimeout, w.networkFailed)
}

func (w *worker) networkFailed() {
	w.to(retrying)
	w.unplug()
	w.timer("sandbox retry after "+sandboxRetry.String(), sandboxRetry, w.addNetwork)
}

// networkChanged finds the poll that will see the change. Polls that can see
// nothing new never happen.
func (w *worker) networkChanged() {
	if w.state != network || w.poll != nil || !w.installed() {
		return
	}
	now := w.k.Gate.Elapsed()
	next := w.added + (now-w.added+pollInterval-1)/pollInterval*pollInterval
	if next >= w.added+addTimeout {
		return
	}
	w.poll = w.k.Timer(w.pod.Ref, "CNI ADD poll", next-now, func() {
		w.poll = nil
		if w.installed() {
			w.start()
		}
	})
}

func (w *worker) installed() bool {
	return !slices.ContainsFunc(w.ports, func(port string) bool {
		return !w.k.o.Network.Installed(port, w.pod.NodeName)
	})
}

func (w *worker) plug() {
	w.ports = w.k.o.Network.PortsOf(w.owner())
	for _, port := range w.ports {
		w.k.o.Network.Plug(port, w.pod.NodeName)
	}
}

func (w *worker) unplug() {
	for _, port := range w.ports {
		w.k.o.Network.Unplug(port, w.pod.NodeName)
	}
	w.ports = nil
}
