package virtcontroller_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
	"github.com/vmreplay/vmreplay/sim/cluster/virtcontroller"
)

const startedTemplate = `{spec: {domain: {cpu: {sockets: 2}, memory: {guest: 1Gi}, resources: {requests: {cpu: 200m, memory: 1Gi}}, devices: {}}}}`

// kvm is a machine that runs, with its instance and the revision of its start. The
// template is what it is now; meta, conditions and state are of the instance.
func kvm(template, phase, conditions, state string) []string {
	return []string{`
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: vm, namespace: default, uid: kvm, generation: 2, finalizers: [kubevirt.io/virtualMachineControllerFinalize],
  annotations: {kubevirt.io/latest-observed-api-version: v1}}
spec: {runStrategy: Manual, template: ` + template + `}
`, `
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: revision-start-vm-kvm-1, namespace: default, ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachine, name: vm, uid: kvm, controller: true}]}
revision: 1
data: {spec: {runStrategy: Manual, template: ` + startedTemplate + `}}
`, `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: vm, namespace: default, uid: vmi-vm, finalizers: [kubevirt.io/foregroundDeleteVirtualMachine],
  annotations: {kubevirt.io/latest-observed-api-version: v1, kubevirt.io/vm-generation: "1"},
  ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachine, name: vm, uid: kvm, controller: true}]}
spec: {domain: {cpu: {sockets: 2, maxSockets: 8}, memory: {guest: 1Gi, maxGuest: 4Gi}, resources: {requests: {cpu: 200m, memory: 1Gi}}, devices: {}}}
status: {phase: ` + phase + `, nodeName: node-a, virtualMachineRevisionName: revision-start-vm-kvm-1, memory: {guestAtBoot: 1Gi, guestCurrent: 1Gi},
  conditions: [` + conditions + `]` + state + `}
`, own(podRunning)}
}

const (
	migratable = `{type: LiveMigratable, status: "True"}`
	beingMoved = `, migrationState: {migrationUid: m, startTimestamp: "2030-01-01T00:00:00Z"}`
)

func changed(old, now string) string { return strings.Replace(startedTemplate, old, now, 1) }

func conditionOf(s *stage.Stage, kind, condition string, fields ...string) string {
	c := standin.Condition(s.Object(kind, "default/vm"), condition)
	var out []string
	for _, f := range fields {
		out = append(out, standin.String(c, f))
	}
	return strings.Join(out, " ")
}

// TestHotplug: kubevirt-behaviour B.2, "CPU sockets: increase within maxSockets →
// VMI patched, also with no phase check; decrease or above maxSockets →
// RestartRequired; memory has its own guards".
func TestHotplug(t *testing.T) {
	for _, c := range []struct {
		name                        string
		template, conditions, state string
		sockets                     int64
		cpu, guest, memory          string // as they are then in the instance
		required, failure           string
		phase                       string
	}{
		{"more sockets", changed("sockets: 2", "sockets: 4"), migratable, "", 4, "400m", "1Gi", "1Gi", "", "", "Running"},
		{"more sockets, in another phase", changed("sockets: 2", "sockets: 4"), migratable, "", 4, "400m", "1Gi", "1Gi", "", "", "Scheduled"},
		{"fewer sockets", changed("sockets: 2", "sockets: 1"), migratable, "", 2, "200m", "1Gi", "1Gi", "Reduction of CPU socket count requires a restart", "", "Running"},
		{"too many sockets", changed("sockets: 2", "sockets: 9"), migratable, "", 2, "200m", "1Gi", "1Gi", "CPU sockets updated in template spec to a value higher than what's available", "", "Running"},
		{"not migratable", changed("sockets: 2", "sockets: 4"), "", "", 2, "200m", "1Gi", "1Gi", "cpu updated in template spec. CPU-hotplug is only available for migratable VMs", "", "Running"},
		{"another CPU hotplug", changed("sockets: 2", "sockets: 4"), migratable + `, {type: HotVCPUChange, status: "True"}`, "", 2, "200m", "1Gi", "1Gi", "", "HotPlugCPUError", "Running"},
		{"CPU while migrating", changed("sockets: 2", "sockets: 4"), migratable, beingMoved, 2, "200m", "1Gi", "1Gi", "", "HotPlugCPUError", "Running"},
		{"more memory", changed("guest: 1Gi", "guest: 2Gi"), migratable, "", 2, "200m", "2Gi", "2Gi", "", "", "Running"},
		{"less memory than at boot", changed("guest: 1Gi", "guest: 512Mi"), migratable, "", 2, "200m", "1Gi", "1Gi", "memory updated in template spec to a value lower than what the VM started with", "", "Running"},
		{"too much memory", changed("guest: 1Gi", "guest: 8Gi"), migratable, "", 2, "200m", "1Gi", "1Gi", "memory updated in template spec to a value higher than what's available", "", "Running"},
		{"memory, not migratable", changed("guest: 1Gi", "guest: 2Gi"), "", "", 2, "200m", "1Gi", "1Gi", "memory updated in template spec. Memory-hotplug is only available for migratable VMs", "", "Running"},
		{"memory could not be plugged before", changed("guest: 1Gi", "guest: 2Gi"), migratable + `, {type: HotMemoryChange, status: "False"}`, "", 2, "200m", "1Gi", "1Gi",
			"memory updated in template spec. Memory-hotplug failed and is not available for this VM configuration", "", "Running"},
		{"another memory hotplug", changed("guest: 1Gi", "guest: 2Gi"), migratable + `, {type: HotMemoryChange, status: "True"}`, "", 2, "200m", "1Gi", "1Gi", "", "HotPlugMemoryError", "Running"},
		{"memory while migrating", changed("guest: 1Gi", "guest: 2Gi"), migratable, beingMoved, 2, "200m", "1Gi", "1Gi", "", "HotPlugMemoryError", "Running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startWith(t, virtcontroller.Options{}, kvm(c.template, c.phase, c.conditions, c.state)...)
			s.Engine.Advance(time.Second)
			domain := standin.Map(s.Object(facts.KindVMI, "default/vm"), "spec", "domain")
			sockets, _ := standin.Int(domain, "cpu", "sockets")
			found := []any{sockets, standin.String(domain, "resources", "requests", "cpu"), standin.String(domain, "memory", "guest"),
				standin.String(domain, "resources", "requests", "memory"),
				conditionOf(s, facts.KindVM, "RestartRequired", "message"), conditionOf(s, facts.KindVM, "Failure", "reason")}
			want := []any{c.sockets, c.cpu, c.guest, c.memory, c.required, c.failure}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("sockets, CPU, guest, memory, RestartRequired, Failure (-want +found):\n%s", diff)
			}
		})
	}
}

// TestLiveUpdateOrder: kubevirt-behaviour A.2: affinity and nodeSelector are two
// writes, in that order, then tolerations; an earlier failure keeps later ones
// back, and retries until it is over.
func TestLiveUpdateOrder(t *testing.T) {
	placed := strings.Replace(startedTemplate, "{spec: {", `{spec: {nodeSelector: {zone: one}, tolerations: [{key: a, operator: Exists}],
  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: Exists}]}]}}}, `, 1)
	patches := func(s *stage.Stage) []string { return s.Deeds("patch VirtualMachineInstance") }
	t.Run("three patches", func(t *testing.T) {
		s := startWith(t, virtcontroller.Options{Stock: true}, kvm(placed, "Running", migratable, "")...)
		var seen []string
		s.API.Observe(func(c stage.Change) {
			if c.Ref.Kind != facts.KindVMI || c.After == nil || c.Before == nil {
				return
			}
			for _, field := range []string{"affinity", "nodeSelector", "tolerations"} {
				if !standin.Equal(standin.Field(c.Before.Content(), "spec", field), standin.Field(c.After.Content(), "spec", field)) {
					seen = append(seen, s.Engine.Elapsed().String()+" "+field)
				}
			}
		})
		s.Engine.Advance(time.Second)
		if diff := cmp.Diff([]string{"13ms affinity", "14ms nodeSelector", "15ms tolerations"}, seen); diff != "" {
			t.Errorf("patches (-want +found):\n%s", diff)
		}
	})
	t.Run("a CPU that cannot be plugged now keeps the placement back", func(t *testing.T) {
		template := strings.Replace(placed, "sockets: 2", "sockets: 4", 1)
		s := startWith(t, virtcontroller.Options{Stock: true}, kvm(template, "Running", migratable+`, {type: HotVCPUChange, status: "True"}`, "")...)
		s.Engine.Advance(time.Second)
		if standin.Map(s.Object(facts.KindVMI, "default/vm"), "spec", "nodeSelector") != nil {
			t.Errorf("want the placement kept back, found %v", patches(s))
		}
		if got := conditionOf(s, facts.KindVM, "Failure", "reason", "message"); got != "HotPlugCPUError handling CPU change request: another CPU hotplug is in progress" {
			t.Errorf("want the failure shown, found %q", got)
		}
		s.At(2*time.Second, "done", func() {
			s.Patch(facts.KindVMI, "default/vm", "", `status: {conditions: [{type: LiveMigratable, status: "True"}]}`)
		})
		s.Engine.Advance(4 * time.Second)
		if standin.String(s.Object(facts.KindVMI, "default/vm"), "spec", "nodeSelector", "zone") != "one" || conditionOf(s, facts.KindVM, "Failure", "reason") != "" {
			t.Errorf("want the placement and no failure, found %v", s.Object(facts.KindVM, "default/vm")["status"])
		}
	})
	for kind, reason := range map[string]string{"nodeSelector: {zone: one}": "AffinityChangeError", "tolerations: [{key: a, operator: Exists}]": "TolerationsChangeError"} {
		t.Run("while migrating: "+reason, func(t *testing.T) {
			template := strings.Replace(startedTemplate, "{spec: {", "{spec: {"+kind+", ", 1)
			s := startWith(t, virtcontroller.Options{}, kvm(template, "Running", migratable, beingMoved)...)
			s.Engine.Advance(time.Second)
			if got := conditionOf(s, facts.KindVM, "Failure", "reason"); got != reason {
				t.Errorf("want %s, found %q", reason, got)
			}
			// 0.1: 5 ms·2^n from failure to failure.
			if n := len(s.Deeds("timer VirtualMachine default/vm back-off")); n < 5 {
				t.Errorf("want it tried again with back-off, found %d times", n)
			}
		})
	}
	t.Run("a placement that goes", func(t *testing.T) {
		docs := kvm(startedTemplate, "Running", migratable, "")
		docs[2] = strings.Replace(docs[2], "spec: {", "spec: {nodeSelector: {zone: one}, ", 1)
		s := startWith(t, virtcontroller.Options{}, docs...)
		s.Engine.Advance(time.Second)
		if got := standin.Field(s.Object(facts.KindVMI, "default/vm"), "spec", "nodeSelector"); got != nil {
			t.Errorf("want no nodeSelector, found %v", got)
		}
	})
}
