package facts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
)

// TestRunStrategy: kubevirt-behaviour A.1.
func TestRunStrategy(t *testing.T) {
	for _, c := range []struct {
		name  string
		spec  map[string]any
		want  string
		fails bool
	}{
		{"strategy", map[string]any{"runStrategy": "Manual"}, "Manual", false},
		{"running", map[string]any{"running": true}, "Always", false},
		{"not running", map[string]any{"running": false}, "Halted", false},
		{"neither", map[string]any{}, "", false},
		{"both", map[string]any{"running": false, "runStrategy": "Always"}, "", true},
	} {
		got, err := facts.RunStrategy(map[string]any{"spec": c.spec})
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%s: want %q, failure %v, found %q, %v", c.name, c.want, c.fails, got, err)
		}
	}
}

func TestReadVM(t *testing.T) {
	r := load(t, `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: vm, namespace: default, uid: kvm, generation: 7, finalizers: [a/b, c/d]}
spec: {runStrategy: Manual, template: {spec: {domain: {devices: {}}}}}
status: {stateChangeRequests: [{action: Stop, uid: vmi-1}, {action: Start}]}
`)
	vm := facts.ReadVM(r)
	found := []any{vm.UID, vm.Generation, vm.Key(), vm.WithoutFinalizer("a/b"), facts.StateChanges(vm.Content()), facts.ControllerRef("kubevirt.io/v1", &vm.Meta)["kind"]}
	want := []any{"kvm", int64(7), "default/vm", []any{"c/d"}, []facts.StateChange{{Action: "Stop", UID: "vmi-1"}, {Action: "Start"}}, "VirtualMachine"}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("facts (-want +found):\n%s", diff)
	}
}
