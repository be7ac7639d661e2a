package conformance

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/scheduler"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// A placement is what a scheduler made of the pod: a node, or why there is none.
type placement struct{ node, message string }

// engineClock is the clock of an engine that is made after its server.
type engineClock struct{ engine *engine.Engine }

func (c *engineClock) Elapsed() time.Duration { return c.engine.Elapsed() }
func (c *engineClock) Wall() time.Time        { return c.engine.Wall() }

// placedByStandIn runs the stand-in scheduler over a cluster.
func placedByStandIn(tb testing.TB, c smallCluster, namespace string) placement {
	tb.Helper()
	clock := &engineClock{}
	server := apiserver.New(apiserver.Options{Clock: clock, Seed: 1})
	clock.engine = engine.New(engine.Config{Seed: 1, Start: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), Server: server})
	server.Observe(clock.engine.Committed)
	if _, err := scheduler.New(standin.Host{Gate: clock.engine, API: server}, scheduler.Options{}); err != nil {
		tb.Fatal(err)
	}
	load := func(o runtime.Object) {
		if _, err := server.Load(apiserver.ToContent(o)); err != nil {
			tb.Fatal(err)
		}
	}
	for i := range c.nodes {
		load(&c.nodes[i])
	}
	for i := range c.running {
		p := c.running[i].DeepCopy()
		p.Namespace = namespace
		p.Status.Phase = corev1.PodRunning
		load(p)
	}
	clock.engine.Advance(time.Second)
	p := c.pod.DeepCopy()
	p.Namespace = namespace
	load(p)
	clock.engine.Advance(2 * time.Second)
	o, err := server.Get(engine.Ref{Kind: "Pod", Namespace: namespace, Name: p.Name})
	if err != nil {
		tb.Fatal(err)
	}
	return placementOf(apiserver.As[corev1.Pod](o))
}

func placementOf(p *corev1.Pod) placement {
	if p.Spec.NodeName != "" {
		return placement{node: p.Spec.NodeName}
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled {
			return placement{message: c.Reason + ": " + c.Message}
		}
	}
	return placement{}
}

// TestStandInPlacesOrSaysWhyNot needs no real scheduler: every pod of a random
// cluster is placed or told why not, twice the same way.
func TestStandInPlacesOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		c := drawCluster(r, "c")
		one, two := placedByStandIn(t, c, "default"), placedByStandIn(t, c, "default")
		if one != two || one == (placement{}) {
			r.Errorf("want one placement or reason, twice: got %+v and %+v", one, two)
		}
	})
}
