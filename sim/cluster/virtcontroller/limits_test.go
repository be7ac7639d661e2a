package virtcontroller_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/internal/stage"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

func created(s *stage.Stage) []string { return s.Deeds("create Pod") }

// running is an instance on a node whose migration is under way.
func running(name, node string) []string {
	at := func(doc string) string { return strings.ReplaceAll(doc, "node-a", node) }
	return []string{at(vmi(name, "Running", "")), at(source(name)), target(name, "Pending", ""), mig(name, "Scheduling", "")}
}

// TestParallelMigrations: D.6, parallelMigrationsPerCluster 5 and
// parallelOutboundMigrationsPerNode 2; D.3, looked at again every 5 s.
func TestParallelMigrations(t *testing.T) {
	for _, c := range []struct {
		name string
		busy []string // nodes that migrations are under way from
		want []string
	}{
		{"nothing else", nil, []string{"13ms virt-controller: create Pod default/virt-launcher-vm- #1"}},
		{"one from the same node", []string{"node-a"}, []string{"13ms virt-controller: create Pod default/virt-launcher-vm- #1"}},
		{"two from the same node", []string{"node-a", "node-a"}, []string{"5.023s virt-controller: create Pod default/virt-launcher-vm- #1"}},
		{"four from other nodes: the fifth key waits for a worker", []string{"n1", "n1", "n2", "n2"}, []string{"23ms virt-controller: create Pod default/virt-launcher-vm- #1"}},
		{"five from other nodes", []string{"n1", "n1", "n2", "n2", "n3"}, []string{"5.033s virt-controller: create Pod default/virt-launcher-vm- #1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			docs := []string{vmi("vm", "Running", ""), source("vm"), mig("vm", "Pending", "")}
			for i, node := range c.busy {
				docs = append(docs, running(fmt.Sprintf("busy%d", i), node)...)
			}
			s := start(t, docs...)
			// One of those under way ends after 3 s: nothing else wakes the one that
			// waits, so it starts when it looks again.
			s.At(3*time.Second, "end", func() {
				if len(c.busy) > 0 {
					s.Patch(facts.KindMigration, "default/busy0", standin.Status, "status: {phase: Failed}")
				}
			})
			s.Engine.Advance(8 * time.Second)
			if diff := cmp.Diff(c.want, withoutRest(created(s))); diff != "" {
				t.Errorf("target pods (-want +found):\n%s", diff)
			}
		})
	}
}

// withoutRest keeps the first step: what follows is no matter of this test.
func withoutRest(steps []string) []string { return steps[:min(1, len(steps))] }

// TestWaitsBeforeTarget: the other questions of D.3 row 3.
func TestWaitsBeforeTarget(t *testing.T) {
	second := strings.ReplaceAll(strings.ReplaceAll(source("vm"), "source-vm", "another-vm"), "2030-01-01T00", "2029-12-31T00")
	for _, c := range []struct {
		name  string
		docs  []string
		until time.Duration
		do    func(s *stage.Stage)
		want  []string
	}{
		{"two active pods: again every second", []string{vmi("vm", "Running", ""), source("vm"), second, mig("vm", "Pending", "")}, 4 * time.Second,
			func(s *stage.Stage) {
				s.At(2500*time.Millisecond, "end", func() { s.Patch(facts.KindPod, "default/another-vm", standin.Status, "status: {phase: Succeeded}") })
			}, []string{"3.043s virt-controller: create Pod default/virt-launcher-vm- #1"}},
		{"a completed pod does not count (#12773)", []string{vmi("vm", "Running", ""), source("vm"),
			strings.ReplaceAll(second, "phase: Running", "phase: Succeeded"), mig("vm", "Pending", "")}, time.Second,
			nil, []string{"13ms virt-controller: create Pod default/virt-launcher-vm- #1"}},
		{"instance not running", []string{vmi("vm", "Scheduled", ""), source("vm"), mig("vm", "Pending", "")}, 10 * time.Second, nil, nil},
		{"source pod not in the cache", []string{vmi("vm", "Running", ""), mig("vm", "Pending", "")}, 10 * time.Second, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, c.docs...)
			if c.do != nil {
				c.do(s)
			}
			s.Engine.Advance(c.until)
			if diff := cmp.Diff(c.want, withoutRest(created(s)), cmp.Transformer("nil", nilIfEmpty)); diff != "" {
				t.Errorf("target pods (-want +found):\n%s", diff)
			}
		})
	}
}

func nilIfEmpty(s []string) string { return strings.Join(s, "\n") }

// TestMigrationBackoff: D.6, "20 s·2^(k−1) after k consecutive Failed; only VMIMs
// from evacuation or workload update".
func TestMigrationBackoff(t *testing.T) {
	const evacuation = `, kubevirt.io/evacuationMigration: node-a`
	earlier := func(n int, phase, annotation string) string {
		return fmt.Sprintf(`
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceMigration
metadata: {name: old%[1]d, namespace: default, uid: old-%[1]d, creationTimestamp: "2029-12-31T23:0%[1]d:00Z", labels: {kubevirt.io/vmi-name: vm},
  annotations: {kubevirt.io/latest-observed-api-version: v1%[3]s}}
spec: {vmiName: vm}
status: {phase: %[2]s, phaseTransitionTimestamps: [{phase: Failed, phaseTransitionTimestamp: "2030-01-01T00:00:00Z"}]}
`, n, phase, annotation)
	}
	for _, c := range []struct {
		name    string
		own     string
		earlier []string
		want    string
	}{
		{"none before", evacuation, nil, "13ms"},
		{"one failed", evacuation, []string{earlier(1, "Failed", evacuation)}, "20.011s"},
		{"three failed", evacuation, []string{earlier(1, "Failed", evacuation), earlier(2, "Failed", evacuation), earlier(3, "Failed", evacuation)}, "1m20.011s"},
		{"a success in between", evacuation, []string{earlier(1, "Failed", evacuation), earlier(2, "Succeeded", evacuation), earlier(3, "Failed", evacuation)}, "20.011s"},
		{"the user's own do not count", evacuation, []string{earlier(1, "Failed", "")}, "13ms"},
		{"the user's own never waits", "", []string{earlier(1, "Failed", evacuation)}, "13ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, append([]string{vmi("vm", "Running", ""), source("vm"), mig("vm", "Pending", c.own)}, c.earlier...)...)
			s.Engine.Advance(2 * time.Minute)
			want := []string{c.want + " virt-controller: create Pod default/virt-launcher-vm- #1"}
			if diff := cmp.Diff(want, withoutRest(created(s))); diff != "" {
				t.Errorf("target pods (-want +found):\n%s", diff)
			}
		})
	}
}
