package lockstep

import _ "unsafe" // for go:linkname

// Some packages of Kubernetes wait for a channel in a global variable that is
// never closed. It was made outside of all bubbles, and to wait for it stops
// virtual time. A nil channel does the same to those who wait, but belongs to no
// bubble. The variables below are those packages' own where the program links
// them, and nobody's where it does not or where a later version has none.

// neverExitWatch is what informers without resync of client-go up to 0.34
// select on in place of their timer.
//
//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch <-chan struct{}

// neverStop is what callers of apimachinery pass where something runs for ever.
//
//go:linkname neverStop k8s.io/apimachinery/pkg/util/wait.NeverStop
var neverStop <-chan struct{}

// forgetOutsideChannels lets bubbles wait where those packages wait for ever.
func forgetOutsideChannels() {
	neverExitWatch, neverStop = nil, nil
}
