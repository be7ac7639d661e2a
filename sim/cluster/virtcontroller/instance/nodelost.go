package instance

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// nodeTimeout is how long virt-handler of a node may stay silent, and nodeRecheck
// how often its node is looked at again after that (kubevirt-behaviour E: node
// timeout 5 min, re-check 1 min).
const (
	nodeTimeout = 5 * time.Minute
	nodeRecheck = time.Minute
)

// A lostNode is one that is not ready, or gone: its virt-handler is taken to have
// been silent since then.
type lostNode struct {
	since  time.Duration
	cancel func() // of the next look; nil if there is none
}

// watchNode waits for a node that stopped being ready. The heartbeats of nodes
// that are ready change nothing, so they are not played.
func (c *Controller) watchNode(ev standin.Event[corev1.Node]) {
	lost := c.lost[ev.Key]
	switch {
	case ev.New != nil && ready(ev.New) && lost != nil:
		if lost.cancel != nil {
			lost.cancel()
		}
		delete(c.lost, ev.Key)
	case (ev.New == nil || !ready(ev.New)) && lost == nil:
		c.lost[ev.Key] = &lostNode{since: c.Gate.Elapsed()}
		c.look(ev.Key)
	}
}

// look plans the next look at a lost node. It is called when the node is lost and
// when one of its pods changes: looks in between would find nothing new.
func (c *Controller) look(node string) {
	lost := c.lost[node]
	if lost == nil || lost.cancel != nil {
		return
	}
	silent := c.Gate.Elapsed() - lost.since
	wait := nodeTimeout - silent
	if silent >= nodeTimeout {
		wait = nodeRecheck - silent%nodeRecheck
	}
	lost.cancel = c.Timer(engine.Ref{Kind: facts.KindNode, Name: node}, "node unresponsive for "+nodeTimeout.String(), wait, func() {
		lost.cancel = nil
		c.failStuck(node)
	})
}

// ready tells whether a node is; one without the condition is.
func ready(node *corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return true
}

// failStuck ends the instances on a lost node that have no live pod there.
func (c *Controller) failStuck(node string) {
	var writes []standin.Write
	for _, vmi := range c.VMIs.List() {
		if vmi.NodeName != node || vmi.Final() || c.hasLivePod(vmi) {
			continue
		}
		ops := append(standin.Replace("/status/phase", vmi.Phase, facts.PhaseFailed),
			standin.Replace("/status/reason", standin.Field(vmi.Content(), "status", "reason"), "NodeUnresponsive")...)
		w := c.PatchJSON(vmi.Ref, ops, "")
		w.Continue = true
		writes = append(writes, w)
	}
	c.Run(writes, nil)
}

func (c *Controller) hasLivePod(vmi *facts.VMI) bool {
	for _, pod := range c.PodsOf(vmi) {
		if pod.NodeName == vmi.NodeName && !pod.Down() {
			return true
		}
	}
	return false
}
