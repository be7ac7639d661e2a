package sim_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// An entry of a schedule that changes nothing says where it is written, and why.
func TestWhyNothingWasPerturbed(t *testing.T) {
	tests := []struct {
		name, entry, want string
	}{
		{
			"a misspelt process", "{point: 'kube-ovn-controler: list Pod #1', delay: 1s}",
			`kube-ovn-controler: list Pod #1: never came (did you mean "kube-ovn-controller: list Pod #1"?)`,
		},
		{
			"more often than it comes", "{point: 'kube-ovn-controller: list Pod #7', delay: 1s}",
			`kube-ovn-controller: list Pod #7: never came (did you mean "kube-ovn-controller: list Pod #1"?)`,
		},
		{
			"nothing like it", "{point: banana, delay: 1s}",
			"banana: never came (vmreplay show --points prints those that do)",
		},
		{
			"a list that breaks as a watch does", "{point: 'kube-ovn-controller: list Pod #1', break: again}",
			"kube-ovn-controller: list Pod #1: came at 1ms, and what should be done to it changes nothing there",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			const checks = "\nexpect:\n  - {name: time-passes, never: 1 == 2}\nuntil: 20s"
			story := written(t, fmt.Sprintf("schedule:\n  - %s%s\n", test.entry, checks))
			found := finding(t, sim.Run(t, story, "none", sim.Options{}), sim.CheckSchedule)
			wantLines(t, found.Message, "nothing was perturbed at:", test.want)
			if diff := cmp.Diff(5, found.Pos.Column); diff != "" {
				t.Errorf("column (-want +got):\n%s", diff)
			}
		})
	}
}

// Who leads nothing cannot lose it.
func TestWhyNoLeaseWasStolen(t *testing.T) {
	r := electing(t, engine.Perturbation{Point: "ctl-2: start #1", Steal: true})
	wantLines(t, finding(t, r, sim.CheckSchedule).Message,
		"ctl-2: start #1: came at 0s, and what should be done to it changes nothing there: ")
}
