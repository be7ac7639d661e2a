package vmim

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// The objects of the stories: VM default/vm runs in pod source on node-a and is to
// move to pod target on node-b.
const (
	vmName        = "default/vm"
	migrationName = "default/migration"
	uid           = "uid-migration"
	portName      = "vm.default"
	movingOptions = "node-a,node-b rarp"
)

type edit[T any] func(T)

func build[T any](object T, edits []edit[T]) T {
	for _, e := range edits {
		e(object)
	}
	return object
}

// newMigration is in phase Scheduling and knows its source pod, as every
// migration does once KubeVirt accepted it.
func newMigration(edits ...edit[*kubevirtv1.VirtualMachineInstanceMigration]) *kubevirtv1.VirtualMachineInstanceMigration {
	m := &kubevirtv1.VirtualMachineInstanceMigration{
		TypeMeta:   metav1.TypeMeta{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachineInstanceMigration"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "migration", UID: uid, CreationTimestamp: instant(10)},
		Spec:       kubevirtv1.VirtualMachineInstanceMigrationSpec{VMIName: "vm"},
	}
	m.Status.Phase = kubevirtv1.MigrationScheduling
	m.Status.MigrationState = &kubevirtv1.VirtualMachineInstanceMigrationState{SourcePod: "source"}
	return build(m, edits)
}

func phase(p kubevirtv1.VirtualMachineInstanceMigrationPhase) edit[*kubevirtv1.VirtualMachineInstanceMigration] {
	return func(m *kubevirtv1.VirtualMachineInstanceMigration) { m.Status.Phase = p }
}

func stateless(m *kubevirtv1.VirtualMachineInstanceMigration) { m.Status.MigrationState = nil }

func migrationNamed(name string, created int64) edit[*kubevirtv1.VirtualMachineInstanceMigration] {
	return func(m *kubevirtv1.VirtualMachineInstanceMigration) {
		m.Name, m.UID, m.CreationTimestamp = name, types.UID("uid-"+name), instant(created)
	}
}

// newVMI runs on node-a and has not been migrated.
func newVMI(edits ...edit[*kubevirtv1.VirtualMachineInstance]) *kubevirtv1.VirtualMachineInstance {
	vmi := &kubevirtv1.VirtualMachineInstance{
		TypeMeta:   metav1.TypeMeta{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachineInstance"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "vm", UID: "uid-vm", CreationTimestamp: instant(1)},
	}
	vmi.Status.Phase, vmi.Status.NodeName = kubevirtv1.Running, "node-a"
	return build(vmi, edits)
}

func vmiOn(node string) edit[*kubevirtv1.VirtualMachineInstance] {
	return func(vmi *kubevirtv1.VirtualMachineInstance) { vmi.Status.NodeName = node }
}

// stateOf gives the VMI the migrationState of a migration between these nodes.
func stateOf(migration types.UID, source, target string) edit[*kubevirtv1.VirtualMachineInstance] {
	return func(vmi *kubevirtv1.VirtualMachineInstance) {
		vmi.Status.MigrationState = &kubevirtv1.VirtualMachineInstanceMigrationState{
			MigrationUID: migration, SourceNode: source, TargetNode: target,
		}
	}
}

// newPod is the launcher pod of a migration's target; it is not bound.
func newPod(edits ...edit[*corev1.Pod]) *corev1.Pod {
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "target", UID: "uid-target", CreationTimestamp: instant(11),
			Labels: map[string]string{
				kubevirtv1.AppLabel:                          launcher,
				kubevirtv1.DeprecatedVirtualMachineNameLabel: "vm",
				kubevirtv1.MigrationJobLabel:                 uid,
			},
		},
	}
	pod.Status.Phase = corev1.PodPending
	return build(pod, edits)
}

func podOn(node string) edit[*corev1.Pod] { return func(pod *corev1.Pod) { pod.Spec.NodeName = node } }

func podNamed(name string, created int64) edit[*corev1.Pod] {
	return func(pod *corev1.Pod) {
		pod.Name, pod.UID, pod.CreationTimestamp = name, types.UID("uid-"+name), instant(created)
	}
}

func podOf(migration types.UID) edit[*corev1.Pod] {
	return func(pod *corev1.Pod) {
		pod.Labels[kubevirtv1.MigrationJobLabel] = string(migration)
		if migration == "" {
			delete(pod.Labels, kubevirtv1.MigrationJobLabel)
		}
	}
}

// sourcePod is the pod that the VM runs in at first.
func sourcePod() *corev1.Pod {
	return newPod(podNamed("source", 1), podOf(""), podOn("node-a"), func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodRunning })
}

func instant(seconds int64) metav1.Time { return metav1.NewTime(time.Unix(seconds, 0).UTC()) }

// ovnTable is an OVN that keeps its ports in memory, and a record of the writes.
type ovnTable struct {
	mu     sync.Mutex
	ports  map[string]LogicalSwitchPort
	writes []string
	fail   error // of the next write
	before func(op string)
}

func newOVNTable(options map[string]string) *ovnTable {
	return &ovnTable{ports: map[string]LogicalSwitchPort{
		portName: {Name: portName, ExternalIDs: map[string]string{PodID: vmName}, Options: options},
		"other":  {Name: "other", ExternalIDs: map[string]string{PodID: "default/other"}},
	}}
}

func (o *ovnTable) ListLogicalSwitchPorts(_ context.Context, ids map[string]string) ([]LogicalSwitchPort, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var found []LogicalSwitchPort
	for _, name := range slices.Sorted(maps.Keys(o.ports)) {
		port := o.ports[name]
		port.Options = maps.Clone(port.Options)
		if port.ExternalIDs[PodID] == ids[PodID] {
			found = append(found, port)
		}
	}
	return found, nil
}

func (o *ovnTable) SetMigrateOptions(_ context.Context, port, source, target string) error {
	return o.write("set", port, map[string]string{RequestedChassis: source + "," + target, ActivationStrategy: RARP})
}

func (o *ovnTable) ResetMigrateOptions(_ context.Context, port, chassis string) error {
	return o.write("reset", port, map[string]string{RequestedChassis: chassis})
}

func (o *ovnTable) CleanMigrateOptions(_ context.Context, port string) error {
	return o.write("clean", port, nil)
}

func (o *ovnTable) write(op, port string, options map[string]string) error {
	if o.before != nil {
		o.before(op)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.fail; err != nil {
		o.fail = nil
		return err
	}
	row := o.ports[port]
	if _, set := row.Options[RequestedChassis]; op == "reset" && !set {
		options = row.Options
	}
	row.Options = options
	o.ports[port] = row
	o.writes = append(o.writes, strings.TrimSpace(op+" "+port+" "+options[RequestedChassis]))
	return nil
}

// options is what the VM's port has: "requested-chassis activation-strategy".
func (o *ovnTable) options() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	options := o.ports[portName].Options
	return strings.TrimSpace(options[RequestedChassis] + " " + options[ActivationStrategy])
}

func (o *ovnTable) written() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.writes)
}

// liveObjects is a reader of objects that stand still.
type liveObjects struct {
	migrations []*kubevirtv1.VirtualMachineInstanceMigration
	vmi        *kubevirtv1.VirtualMachineInstance
	fail       error
}

func (l *liveObjects) migration(_ context.Context, namespace, name string) (*kubevirtv1.VirtualMachineInstanceMigration, error) {
	for _, m := range l.migrations {
		if m.Namespace == namespace && m.Name == name {
			return m, l.fail
		}
	}
	return nil, fmt.Errorf("get migration: %w", apierrors.NewNotFound(kubevirtv1.Resource(migrationResource), name))
}

func (l *liveObjects) instance(_ context.Context, namespace, name string) (*kubevirtv1.VirtualMachineInstance, error) {
	if l.vmi == nil || l.vmi.Namespace != namespace || l.vmi.Name != name {
		return nil, fmt.Errorf("get VMI: %w", apierrors.NewNotFound(kubevirtv1.Resource(instanceResource), name))
	}
	return l.vmi, nil
}
