package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/cluster"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// doNothing is a controller that waits for its end.
func doNothing(ctx context.Context, _ *lockstep.Env) error {
	<-ctx.Done()
	return nil
}

const machine = `timeline:
  - at: 1s
    apply:
      apiVersion: virtualization.deckhouse.io/v1alpha2
      kind: VirtualMachine
      metadata: {name: vm, namespace: default}
      spec:
        virtualMachineClassName: generic
        memory: {size: 1Gi}
        cpu: {cores: 1}
`

// What the schema of a kind refuses is reported where the field stands, and each
// mistake of an object.
func TestCompileSaysWhichFieldIsRefused(t *testing.T) {
	const refuses = "the API server refuses this object: "
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"right", machine, nil},
		{"unknown run policy", machine + "        runPolicy: Sometimes\n",
			[]string{`test.yaml:18:20: ` + refuses + `422 Invalid: spec.runPolicy: Unsupported value: "Sometimes"`}},
		{"malformed affinity", machine + "        affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: zone}}}\n",
			[]string{`test.yaml:18:103: ` + refuses + `422 Invalid: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`}},
		{"two mistakes", strings.Replace(machine, "{cores: 1}", "{cores: 0}", 1) + "        tolerations: [{key: a}, {effect: 5}]\n",
			[]string{`test.yaml:17:22: ` + refuses + `422 Invalid: spec.cpu.cores`, `test.yaml:18:42: ` + refuses + `422 Invalid: spec.tolerations[1].effect`}},
		{"missing field", strings.Replace(machine, "cpu: {cores: 1}", "runPolicy: Manual", 1),
			[]string{`test.yaml:15:9: ` + refuses + `422 Invalid: spec.cpu: Required value`}},
		{"misspelt field", machine + "        nodeSelektor: {zone: a}\n",
			[]string{`test.yaml:18:23: ` + refuses + `400 BadRequest: unknown field "spec.nodeSelektor"`}},
		{"misspelt field of an item", machine + "        tolerations: [{key: a}, {kay: b}]\n",
			[]string{`test.yaml:18:39: ` + refuses + `400 BadRequest: unknown field "spec.tolerations[1].kay"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := sim.Compile(loaded(t, c.body+"until: 10s\n"))
			var got []string
			if err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if len(got) != len(c.want) {
				t.Fatalf("want %d problems, found %q", len(c.want), got)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("problem %d:\n%s\nwant\n%s", i, got[i], want)
				}
			}
		})
	}
}

// What is left out of an object is filled in, and a patch of the timeline is
// answered as a request is.
func TestTheTimelineIsHeldToTheSchemas(t *testing.T) {
	story := written(t, machine+`  - at: 2s
    patch: {kind: DeckhouseVirtualMachine, name: default/vm, merge: {spec: {runPolicy: Sometimes}}}
until: 10s
expect:
  - name: defaults
    eventually: dvm("default/vm").spec.runPolicy == "AlwaysOnUnlessStoppedManually" && dvm("default/vm").spec.terminationGracePeriodSeconds == 60
    within: 2s
`)
	var hashes []uint64
	for range 2 {
		r := playing(t, story, doNothing)
		if f := finding(t, r, "defaults"); !f.OK {
			t.Error(f.Message)
		}
		if f := finding(t, r, sim.CheckTimeline); !strings.Contains(f.Message, `spec.runPolicy: Unsupported value: "Sometimes"`) {
			t.Errorf("want the patch refused, found %q", f.Message)
		}
		hashes = append(hashes, r.Trace.Hash)
	}
	if hashes[0] != hashes[1] {
		t.Errorf("two runs have the hashes %016x and %016x", hashes[0], hashes[1])
	}
}

// A stand-in that crashed in the timeline does nothing, until it is back with an
// empty cache.
func TestStandInsCrashInTheTimeline(t *testing.T) {
	story := written(t, `given:
  fixtures: [kvvm/cluster]
  standIns: [scheduler]
timeline:
  - {at: 1s, crash: kube-scheduler}
  - {at: 2s, apply: {apiVersion: v1, kind: Pod, metadata: {name: late, namespace: default}, spec: {containers: [{name: c, image: i}]}}}
  - {name: before, at: 19s, mark: true}
  - {name: back, at: 20s, restart: kube-scheduler}
  - {at: 30s, restart: kube-scheduler}
until: 60s
expect:
  - {name: waits, eventually: '!pod("default/late").spec.?nodeName.hasValue()', within: 500ms, of: before}
  - {name: bound, eventually: 'pod("default/late").spec.?nodeName.hasValue()', within: 5s, of: back}
`)
	r := playing(t, story, doNothing)
	if r.Red() {
		t.Error(summary(r))
	}
	var starts []string
	for _, s := range r.Trace.Steps {
		if p := s.Point; p.Verb == "crash" || p.Verb == "restart" || p.Verb == engine.VerbStart && p.Process == "kube-scheduler" {
			starts = append(starts, s.At.String()+" "+p.Verb)
		}
	}
	want := []string{"1s crash", "20s restart", "20s start", "30s restart", "30s start"}
	if diff := cmp.Diff(want, starts); diff != "" {
		t.Errorf("(-want +found):\n%s", diff)
	}
	for _, process := range cluster.Killable() {
		if process == "kubelet" || process == "ovn-controller" {
			t.Errorf("%s holds what runs on the nodes, and must not be killable", process)
		}
	}
}
