package podgc

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// ProcessName is the process of the collector.
const ProcessName = "kube-controller-manager"

// period is how often the collector looks, and quarantine how long a node must
// have been gone (kubevirt-behaviour E: PodGC period 20 s, orphan quarantine 40 s).
const (
	period     = 20 * time.Second
	quarantine = 40 * time.Second
)

// Options are what may be set of the collector.
type Options struct {
	// Offset is when the first tick is; the others follow every 20 s. Less than 20 s.
	Offset time.Duration
}

// A Collector is a running pod garbage collector.
type Collector struct {
	*standin.StandIn
	o     Options
	pods  *standin.View[facts.Pod]
	nodes *standin.View[corev1.Node]
	// garbage are the pods to look at, by key.
	garbage map[string]bool
	// gone is when a tick first missed a node.
	gone map[string]time.Duration
	// next is the tick that is planned; 0 if none is.
	next   time.Duration
	cancel func()
}

const byNode = "node"

// New starts a collector.
func New(h standin.Host, o Options) (*Collector, error) {
	c := &Collector{StandIn: standin.New(h, ProcessName), o: o, garbage: map[string]bool{}, gone: map[string]time.Duration{}}
	var err error
	c.nodes, err = standin.Watch(c.StandIn, facts.KindNode, apiserver.WatchOptions{}, apiserver.As[corev1.Node], c.nodeChanged)
	if err != nil {
		return nil, err
	}
	c.pods, err = standin.Watch(c.StandIn, facts.KindPod, apiserver.WatchOptions{}, facts.ReadPod, c.podChanged)
	if err != nil {
		return nil, err
	}
	c.pods.Index(byNode, func(p *facts.Pod) string { return p.NodeName })
	return c, nil
}

func (c *Collector) podChanged(ev standin.Event[facts.Pod]) { c.note(ev.Key, ev.New) }

func (c *Collector) nodeChanged(ev standin.Event[corev1.Node]) {
	if ev.New != nil {
		delete(c.gone, ev.Key)
	}
	if (ev.New == nil) == (ev.Old == nil) || c.pods == nil {
		return
	}
	for _, p := range c.pods.By(byNode, ev.Key) {
		c.note(p.Key(), p)
	}
}

// note tells whether there is anything to do for a pod, and plans or calls off
// the next tick.
func (c *Collector) note(key string, p *facts.Pod) {
	if p != nil && (unscheduled(p) || c.orphaned(p)) {
		c.garbage[key] = true
		c.plan(0)
		return
	}
	delete(c.garbage, key)
	if len(c.garbage) == 0 && c.next != 0 {
		c.cancel()
		c.next = 0
	}
}

// unscheduled tells whether a pod is in deletion and was never bound. Once it has
// ended, there is nothing more to do for it.
func unscheduled(p *facts.Pod) bool { return p.Deleting && p.NodeName == "" && !p.Final() }

// orphaned tells whether a pod's node is gone.
func (c *Collector) orphaned(p *facts.Pod) bool {
	return p.NodeName != "" && !(p.Deleting && p.Final()) && c.nodes.Get(p.NodeName) == nil
}

// plan sets the timer of the next tick that is not before an instant.
func (c *Collector) plan(notBefore time.Duration) {
	at := c.tickAfter(max(c.Gate.Elapsed(), notBefore-1))
	if c.next != 0 && c.next <= at {
		return
	}
	if c.next != 0 {
		c.cancel()
	}
	c.next = at
	c.cancel = c.Timer(engine.Ref{Kind: facts.KindPod}, "collect garbage (every "+period.String()+")", at-c.Gate.Elapsed(), c.tick)
}

// tickAfter is the first tick after an instant.
func (c *Collector) tickAfter(t time.Duration) time.Duration {
	if t < c.o.Offset {
		return c.o.Offset
	}
	return c.o.Offset + ((t-c.o.Offset)/period+1)*period
}

func (c *Collector) tick() {
	c.next = 0
	var writes []standin.Write
	for _, key := range slices.Sorted(maps.Keys(c.garbage)) {
		if p := c.pods.Get(key); unscheduled(p) || c.released(p.NodeName) {
			writes = append(writes, c.end(p)...)
		}
	}
	c.Run(writes, nil)
}

// released tells whether a node has been gone for long enough; where it has not,
// a later tick is planned. As the real one does, the collector asks the API server
// before it acts: its view of nodes may be behind, and then the node's event comes.
func (c *Collector) released(node string) bool {
	now := c.Gate.Elapsed()
	since, known := c.gone[node]
	if !known {
		since = now
		c.gone[node] = now
	}
	if now >= since+quarantine {
		_, err := c.API.Get(engine.Ref{Kind: facts.KindNode, Name: node})
		return apierrors.IsNotFound(err)
	}
	c.plan(since + quarantine)
	return false
}

// end marks a pod as failed and deletes it without grace. That one of both fails
// is nothing to the collector: the pod's event brings it back.
func (c *Collector) end(p *facts.Pod) []standin.Write {
	var writes []standin.Write
	if !p.Final() {
		failed := c.PatchMerge(p.Ref, map[string]any{"status": map[string]any{"phase": facts.PhaseFailed}}, standin.Status)
		failed.Continue = true
		writes = append(writes, failed)
	}
	var now int64
	gone := c.Delete(p.Ref, "", &now)
	gone.Continue = true
	return append(writes, gone)
}
