package virtcontroller_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
)

// TestWorkers: kubevirt-behaviour 0.1, "Workers: VMI controller 10, VM controller 3,
// migration 3". A dozen keys of a kind are there from the start: so many are taken
// at once, and the others when a worker is free.
func TestWorkers(t *testing.T) {
	const machineOf = `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: %s, namespace: default, uid: kvvm-%[1]s}
spec: {runStrategy: Halted, template: {spec: {domain: {devices: {}}}}}
`
	for _, c := range []struct {
		kind string
		of   func(name string) string
		want int
	}{
		{facts.KindVMI, func(name string) string { return vmi(name, "Pending", "") }, 10},
		{facts.KindVM, func(name string) string { return fmt.Sprintf(machineOf, name) }, 3},
		{facts.KindMigration, func(name string) string { return mig(name, "", "") }, 3},
	} {
		t.Run(c.kind, func(t *testing.T) {
			var documents []string
			for i := range 12 {
				documents = append(documents, c.of(fmt.Sprintf("m%02d", i)))
			}
			s := start(t, documents...)
			s.Engine.Advance(time.Second)
			works := s.Deeds("work " + c.kind)
			if len(works) < 12 {
				t.Fatalf("want at least 12 keys worked on, found %q", works)
			}
			first, _, _ := strings.Cut(works[0], " ")
			atOnce := 0
			for _, work := range works {
				if at, _, _ := strings.Cut(work, " "); at == first {
					atOnce++
				}
			}
			if atOnce != c.want {
				t.Errorf("want %d keys at once, found %d: %q", c.want, atOnce, works)
			}
		})
	}
}

// TestPodsWatched: kubevirt-behaviour 0.2, "Pod informer of virt-controller: pods
// having label key kubevirt.io".
func TestPodsWatched(t *testing.T) {
	const bystander = `
apiVersion: v1
kind: Pod
metadata: {name: bystander, namespace: default}
spec: {containers: [{name: c, image: i}]}
`
	s := start(t, vmi("vm", "Running", ""), source("vm"))
	s.Engine.Advance(time.Second)
	s.Load(bystander)
	s.Patch(facts.KindPod, "default/source-vm", "", "metadata: {labels: {a: b}}")
	s.Engine.Advance(time.Second)
	var seen []string
	for _, step := range s.Steps("deliver Pod") {
		_, point, _ := strings.Cut(step, " ")
		seen = append(seen, point)
	}
	want := []string{
		"virt-controller: deliver Pod default/source-vm ADDED #1",
		"virt-controller: deliver Pod BOOKMARK #1",
		"virt-controller: deliver Pod default/source-vm MODIFIED #1",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +found):\n%s", diff)
	}
}
