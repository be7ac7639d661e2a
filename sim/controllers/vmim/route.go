package vmim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// A route is where a migration takes its VM from and to, as far as that is known.
type route struct {
	source, target string
	// Why the node is not known; empty if it is.
	noSource, noTarget string
}

// routeOf finds the nodes of a migration. The source is that of the VMI's
// migrationState, if that is of this migration, else the node of the VMI; the
// target is the node of the pod. vmi and pod may be nil.
func routeOf(m *kubevirtv1.VirtualMachineInstanceMigration, vmi *kubevirtv1.VirtualMachineInstance, pod *corev1.Pod) route {
	var r route
	if vmi != nil {
		r.source = vmi.Status.NodeName
		if state := vmi.Status.MigrationState; owns(m, state) && state.SourceNode != "" {
			r.source = state.SourceNode
		}
	}
	if pod != nil {
		r.target = pod.Spec.NodeName
	}
	if r.source == "" {
		r.noSource = noSource(m, vmi)
	}
	switch {
	case pod == nil:
		r.noTarget = noPod(m)
	case r.target == "":
		r.noTarget = reason("target node of %s is not known yet: pod %s has no spec.nodeName in the cache",
			nameOf(m), cache.MetaObjectToName(pod))
	}
	return r
}

// unknown says which node is not known and why, or is empty.
func (r route) unknown() string {
	if r.noSource != "" && r.noTarget != "" {
		return r.noSource + "; " + r.noTarget
	}
	return r.noSource + r.noTarget
}

// stays says whether source and target are the same node.
func (r route) stays() bool { return r.source == r.target }

// moves says whether both nodes are known and differ.
func (r route) moves() bool { return r.source != "" && r.target != "" && !r.stays() }

// owns says whether the state, which the VMI holds for its latest migration only,
// is of this migration.
func owns(m *kubevirtv1.VirtualMachineInstanceMigration, state *kubevirtv1.VirtualMachineInstanceMigrationState) bool {
	return state != nil && state.MigrationUID == m.UID
}

// migrationPods returns the pods in the cache that were made for the migration, by
// name. An informer's cache lists them in random order; upstream takes the first of
// those, here it is always the same one.
func (c *Controller) migrationPods(m *kubevirtv1.VirtualMachineInstanceMigration) []*corev1.Pod {
	pods := indexed[*corev1.Pod](c.pods, byMigration, string(m.UID))
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return pods
}

// indexed returns the informer's objects with that value in the index, unsorted.
func indexed[T any](informer cache.SharedIndexInformer, index, value string) []T {
	if value == "" {
		return nil
	}
	objs, err := informer.GetIndexer().ByIndex(index, value)
	if err != nil {
		panic(fmt.Sprintf("vmim: the informer was made without the index %q: %v", index, err))
	}
	typed := make([]T, 0, len(objs))
	for _, obj := range objs {
		if o, ok := obj.(T); ok {
			typed = append(typed, o)
		}
	}
	return typed
}

// reason words why a handler returned early: users read it as the explanation of
// what became of a key.
func reason(format string, args ...any) string { return fmt.Sprintf(format, args...) }

func noPod(m *kubevirtv1.VirtualMachineInstanceMigration) string {
	return reason("no pod with label %s=%s in the cache", kubevirtv1.MigrationJobLabel, m.UID)
}

func noPorts(vm string) string {
	return reason("no logical switch port has the external ID %s=%s", PodID, vm)
}

func noSource(m *kubevirtv1.VirtualMachineInstanceMigration, vmi *kubevirtv1.VirtualMachineInstance) string {
	var b strings.Builder
	fmt.Fprintf(&b, "source node of %s is not known yet: VMI %s ", nameOf(m), vmOfMigration(m))
	if vmi == nil {
		b.WriteString("does not exist")
		return b.String()
	}
	b.WriteString("has neither status.migrationState.sourceNode nor status.nodeName")
	if state := vmi.Status.MigrationState; state != nil && !owns(m, state) {
		fmt.Fprintf(&b, " (its status.migrationState is of migration %s)", state.MigrationUID)
	}
	return b.String()
}

// stateOfOther says why the VMI's migrationState says nothing of the migration.
func stateOfOther(m *kubevirtv1.VirtualMachineInstanceMigration, vmi *kubevirtv1.VirtualMachineInstance) string {
	if vmi.Status.MigrationState == nil {
		return reason("VMI %s has no status.migrationState", vmOfMigration(m))
	}
	return reason("status.migrationState of VMI %s is of migration %s, not of %s",
		vmOfMigration(m), vmi.Status.MigrationState.MigrationUID, m.UID)
}

func nameOf(m *kubevirtv1.VirtualMachineInstanceMigration) string {
	return cache.MetaObjectToName(m).String()
}
