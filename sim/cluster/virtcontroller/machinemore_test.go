package virtcontroller_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller"
)

// newKVM is a machine that was not seen before.
const newKVM = `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: vm, namespace: default, uid: kvm, generation: 3}
spec: {runStrategy: Always, template: {metadata: {labels: {app: web}, annotations: {note: kept}}, spec: {nodeSelector: {zone: one},
  domain: {cpu: {sockets: 2}, memory: {guest: 1536Mi}, devices: {}}}}}
`

// TestStartedInstance: kubevirt-behaviour A.3 (startVMI), 0.5 and C.1: what the
// instance and the revision of a start are.
func TestStartedInstance(t *testing.T) {
	s := startWith(t, virtcontroller.Options{}, newKVM)
	s.Engine.Advance(29 * time.Millisecond)
	vmi := s.Object(facts.KindVMI, "default/vm")
	for _, c := range []struct {
		name string
		want any
		path []string
	}{
		{"labels", map[string]any{"app": "web"}, []string{"metadata", "labels"}},
		{"annotations", map[string]any{"note": "kept", "kubevirt.io/vm-generation": "3"}, []string{"metadata", "annotations"}},
		{"finalizers", []any{"kubevirt.io/virtualMachineControllerFinalize", "kubevirt.io/foregroundDeleteVirtualMachine"}, []string{"metadata", "finalizers"}},
		{"owner", []any{map[string]any{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "name": "vm", "uid": "kvm",
			"controller": true, "blockOwnerDeletion": true}}, []string{"metadata", "ownerReferences"}},
		{"placement", map[string]any{"zone": "one"}, []string{"spec", "nodeSelector"}},
		{"CPU", map[string]any{"sockets": int64(2), "maxSockets": int64(8)}, []string{"spec", "domain", "cpu"}},
		{"memory", map[string]any{"guest": "1536Mi", "maxGuest": "6Gi"}, []string{"spec", "domain", "memory"}},
		{"phase", "Pending", []string{"status", "phase"}},
		{"revision", "revision-start-vm-kvm-3", []string{"status", "virtualMachineRevisionName"}},
	} {
		if diff := cmp.Diff(c.want, standin.Field(vmi, c.path...)); diff != "" {
			t.Errorf("%s (-want +found):\n%s", c.name, diff)
		}
	}
	revision := s.Object(facts.KindRevision, "default/revision-start-vm-kvm-3")
	spec := standin.Field(s.Object(facts.KindVM, "default/vm"), "spec")
	if diff := cmp.Diff(spec, standin.Field(revision, "data", "spec")); diff != "" {
		t.Errorf("revision's spec (-want +found):\n%s", diff)
	}
}

// TestMachineExpectations: kubevirt-behaviour 0.3 and A.2; while the created
// instance is not seen, only the status is written: nothing is created again,
// whatever happens, until 5 minutes are over.
func TestMachineExpectations(t *testing.T) {
	for _, c := range []struct {
		name string
		head bool
		want []string // attempts to create the instance
	}{
		// The machine's event at 6 m finds the expectation expired.
		{"v1.6.2", false, []string{"28ms", "6m0.014s"}},
		{"head", true, []string{"28ms", "5m0.039s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startWith(t, virtcontroller.Options{Head: c.head}, newKVM)
			s.Engine.Advance(10 * time.Millisecond)
			s.Engine.Hold("virt-controller", facts.KindVMI, "")
			for _, at := range []time.Duration{time.Minute, 6 * time.Minute} {
				s.At(at, "poke", func() { s.Patch(facts.KindVM, "default/vm", "", `metadata: {labels: {poke: "`+at.String()+`"}}`) })
			}
			s.Engine.Advance(2 * time.Minute)
			if got := standin.String(s.Object(facts.KindVM, "default/vm"), "status", "printableStatus"); got != "Starting" {
				t.Errorf("want the status written while the expectation is open, found %q", got)
			}
			s.Engine.Advance(6*time.Minute + time.Second)
			var found []string
			for _, step := range s.Deeds("create VirtualMachineInstance") {
				at, _, _ := strings.Cut(step, " ")
				found = append(found, at)
			}
			if diff := cmp.Diff(c.want, found[:min(2, len(found))]); diff != "" {
				t.Errorf("creations (-want +found):\n%s", diff)
			}
			if got := conditionOf(s, facts.KindVM, "Failure", "reason"); got != "FailedCreate" {
				t.Errorf("want the second creation to fail and to be shown (A.7), found %q", got)
			}
		})
	}
}

// TestClaim: an instance that nobody owns is adopted, one of another machine is
// not touched.
func TestClaim(t *testing.T) {
	orphan := func(owner string) string {
		return `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: vm, namespace: default, uid: vmi-vm, annotations: {kubevirt.io/latest-observed-api-version: v1}` + owner + `}
spec: {domain: {devices: {}}}
status: {phase: Running, nodeName: node-a}
`
	}
	for _, c := range []struct{ name, owner, want, status string }{
		{"nobody's", "", "kvm", "Running"},
		{"another's", ", ownerReferences: [{apiVersion: v1, kind: VirtualMachine, name: vm, uid: other, controller: true}]", "other", "Stopped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startWith(t, virtcontroller.Options{}, strings.Replace(newKVM, "Always", "Manual", 1), orphan(c.owner), own(podRunning))
			s.Engine.Advance(time.Second)
			if got := facts.OwnerOf(s.Object(facts.KindVMI, "default/vm")).UID; got != c.want {
				t.Errorf("want the owner %q, found %q", c.want, got)
			}
			if got := standin.String(s.Object(facts.KindVM, "default/vm"), "status", "printableStatus"); got != c.status {
				t.Errorf("want %s, found %q", c.status, got)
			}
		})
	}
}

// TestConditionsMirrored: kubevirt-behaviour A.7; the instance's conditions are
// taken over and go with it having them no more, the machine's own do not.
func TestConditionsMirrored(t *testing.T) {
	docs := kvm(startedTemplate, "Running", migratable+`, {type: Paused, status: "True", reason: PausedByUser, message: m}`, "")
	docs[0] += `status: {conditions: [{type: Failure, status: "True", reason: FailedCreate}, {type: Synchronized, status: "False", reason: old}]}`
	s := startWith(t, virtcontroller.Options{Stock: true}, docs...)
	s.Engine.Advance(time.Second)
	var found []string
	for _, c := range standin.Items(s.Object(facts.KindVM, "default/vm"), "status", "conditions") {
		found = append(found, standin.String(c, "type")+"="+standin.String(c, "status")+" "+standin.String(c, "reason"))
	}
	want := []string{"Ready=False PodConditionMissing", "LiveMigratable=True ", "Paused=True PausedByUser"}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("conditions (-want +found):\n%s", diff)
	}
}
