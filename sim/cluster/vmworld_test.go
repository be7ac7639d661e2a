package cluster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/cluster"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// virtualMachine is a machine of KubeVirt with a run strategy and a nodeSelector;
// "zone: nowhere" fits no node.
func virtualMachine(strategy, selector string) string {
	return strings.NewReplacer("STRATEGY", strategy, "SELECTOR", selector).Replace(`
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: vm, namespace: default}
spec:
  runStrategy: STRATEGY
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {SELECTOR}
      domain: {cpu: {sockets: 1}, memory: {guest: 1Gi}, devices: {}}
`)
}

// newVMWorld is a cluster without any machine.
func newVMWorld(t testing.TB, settings map[string]string, schedule ...engine.Perturbation) *world {
	t.Helper()
	w := &world{Stage: stage.New(t, schedule...)}
	w.Load(twoNodes)
	var err error
	w.cluster, err = cluster.New(w.Host(), cluster.Names(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// launcher is the newest launcher pod; nil if there is none.
func (w *world) launcher() map[string]any {
	var newest map[string]any
	for _, o := range w.API.List(facts.KindPod, "default") {
		c := o.Content()
		if newest == nil || standin.Time(c, "metadata", "creationTimestamp").After(standin.Time(newest, "metadata", "creationTimestamp")) {
			newest = c
		}
	}
	return newest
}

func TestExplore(t *testing.T) {
	w := newVMWorld(t, nil)
	w.create(time.Second, virtualMachine("Always", ""))
	w.Engine.Advance(time.Minute)
	for _, s := range w.Deeds() {
		t.Log(s)
	}
	t.Log(w.Object(facts.KindVM, "default/vm")["status"])
	t.Log(w.Object(facts.KindVMI, "default/vm"))
	t.Log(w.launcher())
}
