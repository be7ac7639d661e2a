package cluster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// launcherKey is the key of the newest launcher pod.
func (w *world) launcherKey() string {
	w.T.Helper()
	pod := w.launcher()
	if pod == nil {
		w.T.Fatal("want a launcher pod, found none")
	}
	return "default/" + standin.String(pod, "metadata", "name")
}

// request adds nothing: it sets what is asked of the machine, as a client does.
func (w *world) request(requests string) {
	w.T.Helper()
	w.Patch(facts.KindVM, "default/vm", standin.Status, "status: {stateChangeRequests: ["+requests+"]}")
}

// place gives the machine's template another nodeSelector: any node will do.
func (w *world) place() {
	w.T.Helper()
	w.Patch(facts.KindVM, "default/vm", "", "spec: {template: {spec: {nodeSelector: {zone: null}}}}")
}

// uid is the UID of an object; "" if there is none.
func (w *world) uid(kind, key string) string {
	return standin.String(w.Object(kind, key), "metadata", "uid")
}

// A vmStory is one run of a machine that is created at 1 s.
type vmStory struct {
	name     string
	settings map[string]string
	machine  string
	do       func(w *world) // before anything moves
	until    time.Duration  // default one minute

	statuses []string // printableStatus, with instants; nil is not looked at
	phases   []string // of the instance
	check    func(t *testing.T, w *world)
}

// playVM plays stories, each twice: it must take the same course.
func playVM(t *testing.T, stories []vmStory) {
	t.Helper()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			w, statuses, phases := s.run(t)
			again, _, _ := s.run(t)
			if a, b := w.Engine.Trace().Hash, again.Engine.Trace().Hash; a != b {
				t.Errorf("want the same trace twice, found the hashes %x and %x", a, b)
			}
			if diff := cmp.Diff(s.statuses, statuses); s.statuses != nil && diff != "" {
				t.Errorf("printable status (-want +found):\n%s", diff)
			}
			if diff := cmp.Diff(s.phases, phases); s.phases != nil && diff != "" {
				t.Errorf("phase of the instance (-want +found):\n%s", diff)
			}
			if s.check != nil {
				s.check(t, w)
			}
			if t.Failed() {
				t.Logf("steps:\n%s", strings.Join(w.Deeds(), "\n"))
			}
		})
	}
}

func (s *vmStory) run(t *testing.T) (w *world, statuses, phases []string) {
	t.Helper()
	w = newVMWorld(t, s.settings)
	watched := w.Watch(facts.KindVM, "default/vm", "status", "printableStatus")
	instance := w.Watch(facts.KindVMI, "default/vm", "status", "phase")
	w.create(time.Second, s.machine)
	if s.do != nil {
		s.do(w)
	}
	until := s.until
	if until == 0 {
		until = time.Minute
	}
	w.Engine.Advance(until)
	return w, *watched, *instance
}

// equal compares what was found with what is wanted.
func equal(t *testing.T, what string, want, found any) {
	t.Helper()
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("%s (-want +found):\n%s", what, diff)
	}
}
