package virtcontroller_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// TestExpectations: kubevirt-behaviour 0.3; while the created pod is not seen, no
// other is created, and after 5 minutes the controller stops waiting.
func TestExpectations(t *testing.T) {
	s := start(t, vmi("vm", "Running", ""), source("vm"), mig("vm", "Pending", ""))
	s.Engine.Advance(10 * time.Millisecond)
	rule := s.Engine.Hold("virt-controller", facts.KindPod, "")
	poke := func(at time.Duration) {
		s.At(at, "poke", func() {
			s.Patch(facts.KindMigration, "default/vm", "", `metadata: {labels: {poke: "`+at.String()+`"}}`)
		})
	}
	poke(time.Second)
	poke(time.Minute)
	s.Engine.Advance(4 * time.Minute)
	if n := len(created(s)); n != 1 {
		t.Errorf("want one target pod while its event is held, found %d", n)
	}
	s.Engine.Advance(6*time.Minute + 2*time.Second)
	if n := len(created(s)); n != 2 {
		t.Errorf("want a second one after the expectations expired, found %d", n)
	}
	s.Engine.Release(rule)
	s.Engine.Advance(7 * time.Minute)
	if got := phaseOf(s, "vm"); got != facts.PhaseScheduling {
		t.Errorf("want Scheduling once the pod is seen, found %q", got)
	}
}

// TestAdmission: D.1 and 0.4; label, finalizer and annotation come in one write of
// their own, and nothing else does.
func TestAdmission(t *testing.T) {
	s := start(t, vmi("vm", "Running", ""), source("vm"), `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceMigration
metadata: {name: vm, namespace: default, finalizers: [x/y]}
spec: {vmiName: vm}
`)
	s.Engine.Advance(onePass)
	meta := standin.Map(s.Object(facts.KindMigration, "default/vm"), "metadata")
	found := map[string]any{"labels": meta["labels"], "annotations": meta["annotations"], "finalizers": meta["finalizers"]}
	want := map[string]any{
		"labels":      map[string]any{"kubevirt.io/vmi-name": "vm"},
		"annotations": map[string]any{"kubevirt.io/latest-observed-api-version": "v1"},
		"finalizers":  []any{"x/y", "kubevirt.io/migrationJobFinalize"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("metadata (-want +found):\n%s", diff)
	}
	if got := phaseOf(s, "vm"); got != "" {
		t.Errorf("want no phase yet, found %q", got)
	}
}

// TestStatusConflict: a status write from a stale cache conflicts and is tried
// again, after the back-off of 0.1.
func TestStatusConflict(t *testing.T) {
	s := start(t, vmi("vm", "Running", ""), source("vm"), mig("vm", "", ""))
	s.At(11*time.Millisecond, "touch", func() { s.Patch(facts.KindMigration, "default/vm", "", "metadata: {labels: {a: b}}") })
	s.Engine.Advance(30 * time.Millisecond)
	want := []string{
		"12ms virt-controller: work VirtualMachineInstanceMigration default/vm #1",
		"13ms virt-controller: update VirtualMachineInstanceMigration default/vm status #1 => 409 Conflict",
		"18ms virt-controller: timer VirtualMachineInstanceMigration default/vm back-off 5ms #1",
		"23ms virt-controller: work VirtualMachineInstanceMigration default/vm #2",
		"24ms virt-controller: update VirtualMachineInstanceMigration default/vm status #2",
	}
	if diff := cmp.Diff(want, s.Deeds("Migration default/vm")); diff != "" {
		t.Errorf("steps (-want +found):\n%s", diff)
	}
	if got := phaseOf(s, "vm"); got != facts.PhasePending {
		t.Errorf("want Pending, found %q", got)
	}
}

// TestEndTakesTwoPasses: 0.5, "the reconcile AFTER the phase became final".
func TestEndTakesTwoPasses(t *testing.T) {
	s := start(t, vmi("vm", "Failed", ""), source("vm"), mig("vm", "Pending", ""))
	s.Engine.Advance(onePass)
	if o := s.Object(facts.KindMigration, "default/vm"); phaseOf(s, "vm") != facts.PhaseFailed || standin.Field(o, "metadata", "finalizers") == nil {
		t.Errorf("want Failed with the finalizer after one pass, found %v", o["metadata"])
	}
	s.Engine.Advance(2 * onePass)
	if o := s.Object(facts.KindMigration, "default/vm"); standin.Field(o, "metadata", "finalizers") != nil {
		t.Errorf("want no finalizer after two passes, found %v", o["metadata"])
	}
}

// TestGarbage: D.3, "GC keeps 5 newest final VMIMs per VMI".
func TestGarbage(t *testing.T) {
	docs := []string{vmi("vm", "Running", ""), source("vm")}
	for i := range 7 {
		docs = append(docs, fmt.Sprintf(`
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceMigration
metadata: {name: old%[1]d, namespace: default, uid: old-%[1]d, creationTimestamp: "2029-12-31T23:0%[1]d:00Z", labels: {kubevirt.io/vmi-name: vm},
  annotations: {kubevirt.io/latest-observed-api-version: v1}}
spec: {vmiName: vm}
status: {phase: Succeeded}
`, i))
	}
	s := start(t, docs...)
	s.Engine.Advance(time.Second)
	var left []string
	for _, o := range s.API.List(facts.KindMigration, "default") {
		left = append(left, o.Ref().Name)
	}
	if diff := cmp.Diff([]string{"old2", "old3", "old4", "old5", "old6"}, left); diff != "" {
		t.Errorf("migrations (-want +found):\n%s", diff)
	}
}

// TestInstance: C.2, C.1 and C.3, what follows for an instance from its pods.
func TestInstance(t *testing.T) {
	gated := strings.Replace(source("vm"), "spec: {", "spec: {readinessGates: [{conditionType: kubevirt.io/virtual-machine-unpaused}], ", 1)
	t.Run("active pods are all owned ones, completed too", func(t *testing.T) {
		done := strings.ReplaceAll(strings.ReplaceAll(source("vm"), "source-vm", "done-vm"), "phase: Running", "phase: Succeeded")
		s := start(t, vmi("vm", "Running", ""), source("vm"), done)
		s.Engine.Advance(time.Second)
		want := map[string]any{"source-vm": "node-a", "done-vm": "node-a"}
		if diff := cmp.Diff(want, standin.Map(s.Object(facts.KindVMI, "default/vm"), "status", "activePods")); diff != "" {
			t.Errorf("active pods (-want +found):\n%s", diff)
		}
	})
	t.Run("the readiness gate opens", func(t *testing.T) {
		s := start(t, vmi("vm", "Running", ""), gated)
		s.Engine.Advance(time.Second)
		c := standin.Condition(s.Object(facts.KindPod, "default/source-vm"), facts.GateUnpaused)
		if standin.String(c, "status") != "True" {
			t.Errorf("want the gate open, found %v", c)
		}
	})
	t.Run("its pod is gone", func(t *testing.T) {
		s := start(t, vmi("vm", "Running", ""), source("vm"))
		s.At(time.Second, "kill", func() {
			s.Patch(facts.KindPod, "default/source-vm", standin.Status, "status: {phase: Failed}")
			s.Delete(facts.KindPod, "default/source-vm")
		})
		s.Engine.Advance(2 * time.Second)
		if got := standin.String(s.Object(facts.KindVMI, "default/vm"), "status", "phase"); got != facts.PhaseFailed {
			t.Errorf("want Failed, found %q", got)
		}
	})
}
