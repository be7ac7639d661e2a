package garbage

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// ProcessName is the process of the collector.
const ProcessName = "garbage-collector"

// latency is how long the collector takes from a write to its round: a watch event
// and a request (kubevirt-behaviour E suggests 1 to 50 ms and 2 to 20 ms).
const latency = 20 * time.Millisecond

// A Server is an API server that knows what is garbage: the simulated one.
type Server interface {
	Observe(f func(engine.Change))
	CollectGarbage() (changed int)
}

// A Collector is a running garbage collector.
type Collector struct {
	*standin.StandIn
	server  Server
	planned bool
}

// New starts a collector. Its first round is about what is there already. It fails
// if the API server is none that can tell garbage.
func New(h standin.Host) (*Collector, error) {
	server, ok := h.API.(Server)
	if !ok {
		return nil, fmt.Errorf("want the simulated API server, which tells what is garbage, found a %T", h.API)
	}
	c := &Collector{StandIn: standin.New(h, ProcessName), server: server}
	server.Observe(func(change engine.Change) {
		if matters(change) {
			c.plan()
		}
	})
	c.plan()
	return c, nil
}

// matters says whether a write may have left something to do: an object that is
// gone may have been an owner, one that came may have lost its owner already, and
// one in deletion may wait for the collector.
func matters(change engine.Change) bool {
	if change.After == nil {
		return true
	}
	meta := metadata(change.After)
	if meta["deletionTimestamp"] != nil {
		held, _ := meta["finalizers"].([]any)
		return slices.Contains(held, any(metav1.FinalizerDeleteDependents)) || slices.Contains(held, any(metav1.FinalizerOrphanDependents))
	}
	return change.Before == nil && meta["ownerReferences"] != nil
}

func metadata(r engine.Revision) map[string]any {
	meta, _ := r.Content()["metadata"].(map[string]any)
	return meta
}

// plan sets the timer of the next round, if it is not set.
func (c *Collector) plan() {
	if c.planned {
		return
	}
	c.planned = true
	c.After(engine.Point{Verb: engine.VerbTimer, Detail: "collect garbage"}, latency, func() engine.Outcome {
		c.planned = false
		changed := c.server.CollectGarbage()
		return engine.Outcome{Text: fmt.Sprintf("%d objects changed", changed)}
	})
}
