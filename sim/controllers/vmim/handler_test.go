package vmim

import (
	"context"
	"errors"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// handlerWorld is one direct call of a handler: what it reads and what came of it.
type handlerWorld struct {
	migration *kubevirtv1.VirtualMachineInstanceMigration
	vmi       *kubevirtv1.VirtualMachineInstance
	others    []*kubevirtv1.VirtualMachineInstanceMigration // in the cache
	pods      []*corev1.Pod                                 // in the cache
	options   map[string]string
	noPorts   bool

	ovn  *ovnTable
	logs []string
}

// controller makes a controller of the variant that reads the world and is not running.
func (w *handlerWorld) controller(t *testing.T, v Variant) *Controller {
	t.Helper()
	w.ovn = newOVNTable(w.options)
	if w.noPorts {
		delete(w.ovn.ports, portName)
	}
	w.logs = nil
	c, err := New(&rest.Config{Host: "http://cluster"}, w.ovn, Options{Variant: v, Logger: logInto(&w.logs)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.migrationQueue.ShutDown)
	t.Cleanup(c.podQueue.ShutDown)
	live := &liveObjects{vmi: w.vmi}
	if w.migration != nil {
		live.migrations = append(live.migrations, w.migration)
		w.others = append([]*kubevirtv1.VirtualMachineInstanceMigration{w.migration}, w.others...)
	}
	c.live = live
	for _, m := range w.others {
		if err := c.migrations.GetIndexer().Add(m); err != nil {
			t.Fatal(err)
		}
	}
	for _, pod := range w.pods {
		if err := c.pods.GetIndexer().Add(pod); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// logInto collects the messages of information, without their values.
func logInto(messages *[]string) logr.Logger {
	return funcr.NewJSON(func(line string) { *messages = append(*messages, messageOf(line)) }, funcr.Options{})
}

func TestOneCallOfTheHandler(t *testing.T) {
	noPodText := "no pod with label kubevirt.io/migrationJobUID=uid-migration in the cache"
	noTargetText := "target node of default/migration is not known yet: pod default/target has no spec.nodeName in the cache"
	noSourceText := "source node of default/migration is not known yet: VMI default/vm has neither status.migrationState.sourceNode nor status.nodeName"
	bound := []*corev1.Pod{newPod(podOn("node-b"))}
	all := func(r result) map[Variant]result {
		return map[Variant]result{None: r, SchedulingRetry: r, TargetPodRetry: r, Both: r, Wake: r}
	}
	retriedBy := func(reason string, variants ...Variant) map[Variant]result {
		results := all(result{reason: reason})
		for _, v := range append(variants, Wake) {
			results[v] = result{reason: reason, err: true}
		}
		return results
	}
	wakeSets := func(reason string) map[Variant]result {
		results := all(result{reason: reason})
		results[Wake] = result{reason: "migration options are set", options: movingOptions}
		return results
	}
	tests := []struct {
		name  string
		world handlerWorld
		want  map[Variant]result
	}{
		{"a target pod not created", handlerWorld{migration: newMigration(), vmi: newVMI()},
			retriedBy(noPodText, TargetPodRetry, Both)},
		{"b target pod has no node", handlerWorld{migration: newMigration(), vmi: newVMI(), pods: []*corev1.Pod{newPod()}},
			retriedBy(noTargetText, SchedulingRetry, Both)},
		{"c source node not known", handlerWorld{migration: newMigration(), vmi: newVMI(vmiOn("")), pods: bound},
			retriedBy(noSourceText, SchedulingRetry, Both)},
		{"d neither node known", handlerWorld{migration: newMigration(), vmi: newVMI(vmiOn("")), pods: []*corev1.Pod{newPod()}},
			retriedBy(noSourceText+"; "+noTargetText, SchedulingRetry, Both)},
		{"e source is target", handlerWorld{migration: newMigration(), vmi: newVMI(vmiOn("node-b")), pods: bound},
			all(result{reason: "source and target node of migration default/migration are both node-b"})},
		{"f all known", handlerWorld{migration: newMigration(), vmi: newVMI(stateOf(uid, "node-a", "node-b")), pods: bound},
			all(result{reason: "migration options are set", options: movingOptions})},
		{"x1 source from the VMI's node", handlerWorld{migration: newMigration(), vmi: newVMI(stateOf(uid, "", "")), pods: bound},
			all(result{reason: "migration options are set", options: movingOptions})},
		{"x2 migration without state", handlerWorld{migration: newMigration(stateless), vmi: newVMI(), pods: bound},
			wakeSets(`status.migrationState of migration default/migration is not set (phase "Scheduling")`)},
		{"x3 state of another migration", handlerWorld{migration: newMigration(), vmi: newVMI(stateOf("uid-older", "node-c", "node-d")), pods: bound},
			all(result{reason: "migration options are set", options: movingOptions})},
		{"x4 phase Scheduled", handlerWorld{migration: newMigration(phase(kubevirtv1.MigrationScheduled)), vmi: newVMI(), pods: bound},
			wakeSets(`phase of migration default/migration is "Scheduled": only Scheduling, Succeeded and Failed change ports`)},
		{"x5 phase Pending", handlerWorld{migration: newMigration(phase(kubevirtv1.MigrationPending)), vmi: newVMI(), pods: bound},
			with(all(result{reason: `phase of migration default/migration is "Pending": only Scheduling, Succeeded and Failed change ports`}),
				Wake, result{reason: `phase of migration default/migration is "Pending": ports are set up from Scheduling on`})},
		{"x6 no ports", handlerWorld{migration: newMigration(), vmi: newVMI(), pods: bound, noPorts: true},
			all(result{reason: "no logical switch port has the external ID pod=default/vm"})},
		{"source unknown, state of another migration", handlerWorld{migration: newMigration(), vmi: newVMI(vmiOn(""), stateOf("uid-older", "node-c", "node-d")), pods: bound},
			retriedBy(noSourceText+" (its status.migrationState is of migration uid-older)", SchedulingRetry, Both)},
	}
	for _, test := range tests {
		for _, v := range Variants() {
			t.Run(test.name+"/"+string(v), func(t *testing.T) {
				test.world.check(t, v, test.want[v])
			})
		}
	}
}

func TestEndOfAMigration(t *testing.T) {
	moving := map[string]string{RequestedChassis: "node-a,node-b", ActivationStrategy: RARP}
	succeeded := newMigration(phase(kubevirtv1.MigrationSucceeded))
	failed := newMigration(phase(kubevirtv1.MigrationFailed))
	released := "no migration needs the ports"
	tests := []struct {
		name  string
		world handlerWorld
		want  result // of all variants but wake
		wake  result
	}{
		{"succeeded", handlerWorld{migration: succeeded, vmi: newVMI(vmiOn("node-b"), stateOf(uid, "node-a", "node-b")), options: moving},
			result{reason: "migration options are reset", options: "node-b"}, result{reason: released, options: "node-b"}},
		{"failed", handlerWorld{migration: failed, vmi: newVMI(stateOf(uid, "node-a", "node-b")), options: moving},
			result{reason: "migration options are reset", options: "node-a"}, result{reason: released, options: "node-a"}},
		{"port without options", handlerWorld{migration: succeeded, vmi: newVMI(vmiOn("node-b"), stateOf(uid, "node-a", "node-b"))},
			result{reason: "migration options are reset"}, result{reason: released}},
		{"failed before the hand-over", handlerWorld{migration: failed, vmi: newVMI(), options: moving},
			result{reason: "migration default/migration is Failed, but VMI default/vm has no status.migrationState", options: movingOptions},
			result{reason: released, options: "node-a"}},
		{"K5 the state is of the next migration", handlerWorld{migration: failed, vmi: newVMI(stateOf("uid-next", "node-a", "node-c")), options: moving},
			result{reason: "migration default/migration is Failed, but status.migrationState of VMI default/vm is of migration uid-next, not of uid-migration", options: movingOptions},
			result{reason: released, options: "node-a"}},
		{"target node not recorded", handlerWorld{migration: succeeded, vmi: newVMI(stateOf(uid, "node-a", "")), options: moving},
			result{reason: "migration default/migration is Succeeded, but status.migrationState.targetNode of VMI default/vm is empty", options: movingOptions},
			result{reason: released, options: "node-a"}},
		{"without ports", handlerWorld{migration: succeeded, vmi: newVMI(stateOf(uid, "node-a", "node-b")), noPorts: true},
			result{reason: "no logical switch port has the external ID pod=default/vm"}, result{reason: released}},
		{"the VM ended", handlerWorld{migration: failed, vmi: newVMI(stateOf(uid, "node-a", "node-b"), func(vmi *kubevirtv1.VirtualMachineInstance) { vmi.Status.Phase = kubevirtv1.Failed }), options: moving},
			result{reason: "migration options are reset", options: "node-a"}, result{reason: released}},
	}
	for _, test := range tests {
		for _, v := range Variants() {
			t.Run(test.name+"/"+string(v), func(t *testing.T) {
				want := test.want
				if v == Wake {
					want = test.wake
				}
				test.world.check(t, v, want)
			})
		}
	}
}

func TestFailuresAreRetried(t *testing.T) {
	fault := errors.New("no leader")
	bound := []*corev1.Pod{newPod(podOn("node-b"))}
	tests := []struct {
		name  string
		world handlerWorld
		spoil func(*Controller, *handlerWorld)
		want  map[Variant]string // an empty one is no error
	}{
		{"the migration is gone", handlerWorld{vmi: newVMI()}, nil, map[Variant]string{
			None: `get migration: virtualmachineinstancemigrations.kubevirt.io "migration" not found`}},
		{"the VMI is gone", handlerWorld{migration: newMigration(), pods: bound}, nil, map[Variant]string{
			None: `get VMI: virtualmachineinstances.kubevirt.io "vm" not found`,
			Wake: "source node of default/migration is not known yet: VMI default/vm does not exist"}},
		{"the migration cannot be read", handlerWorld{migration: newMigration(), vmi: newVMI(), pods: bound},
			func(c *Controller, _ *handlerWorld) { c.live.(*liveObjects).fail = fault },
			map[Variant]string{None: "no leader", Wake: "no leader"}},
		{"OVN refuses", handlerWorld{migration: newMigration(), vmi: newVMI(), pods: bound},
			func(_ *Controller, w *handlerWorld) { w.ovn.fail = fault },
			map[Variant]string{
				None: "change the migration options of port vm.default of VM default/vm: no leader",
				Wake: "change the migration options of port vm.default of VM default/vm: no leader"}},
	}
	for _, test := range tests {
		for _, v := range []Variant{None, Wake} {
			t.Run(test.name+"/"+string(v), func(t *testing.T) {
				c := test.world.controller(t, v)
				if test.spoil != nil {
					test.spoil(c, &test.world)
				}
				handle, _ := c.handlers()
				got := ""
				if err := handle(t.Context(), migrationName); err != nil {
					got = err.Error()
				}
				if diff := cmp.Diff(test.want[v], got); diff != "" {
					t.Errorf("error (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// result is what one call of a handler came to.
type result struct {
	reason  string // what it said: the error, or else its last message
	err     bool
	options string
}

func with(results map[Variant]result, v Variant, r result) map[Variant]result {
	results[v] = r
	return results
}

func (w handlerWorld) check(t *testing.T, v Variant, want result) {
	t.Helper()
	c := w.controller(t, v)
	handle, _ := c.handlers()
	got := result{}
	if err := handle(context.Background(), migrationName); err != nil {
		got.reason, got.err = err.Error(), true
	} else if len(w.logs) > 0 {
		got.reason = w.logs[len(w.logs)-1]
	}
	got.options = w.ovn.options()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
		t.Errorf("result of the handler (-want +got):\n%s", diff)
	}
}
