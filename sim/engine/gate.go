package engine

import (
	"math/rand/v2"
	"time"
)

// An Outcome says how a granted decision ended.
type Outcome struct {
	Text    string // "ok", "409 Conflict", ...
	Version uint64 // resourceVersion written, or 0
}

// A Gate is what the in-engine parts (stand-ins, timeline) see of the engine.
// All of it is called from the engine's own goroutine.
type Gate interface {
	Clock
	// After offers a decision that is due after delay; run is called when it is
	// granted, at most once. The gate counts Point.N itself. The returned
	// function takes the offer back.
	After(p Point, delay time.Duration, run func() Outcome) (cancel func())
	// Submit is After with the latency of an API request: what a stand-in's own
	// write takes.
	Submit(p Point, run func() Outcome) (cancel func())
	// Feed opens w and calls deliver with its events, one a decision, in order,
	// each with the latency of a delivery: the cache of a stand-in.
	Feed(process, kind string, w Watch, deliver func(Event)) (stop func())
	// Rand is the run's own source of randomness.
	Rand() *rand.Rand
	// Note adds a remark to the trace; At and After are filled in.
	Note(Note)
}
