package vmim

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/tools/cache"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// Resync periods (kubevirt-behaviour E). The real one of migrations is drawn from
// 12 to 24 hours; a drawn number would differ from run to run, and a resync has no
// effect on either informer.
const (
	podResync       = 0
	migrationResync = 12 * time.Hour
)

// Names of the informers' indexes.
const (
	byMigration = "migration" // pods, by the UID of the migration that made them
	byUID       = "uid"       // migrations, by their own UID
	byVM        = "vm"        // pods and migrations, by "namespace/VM"
)

func newPodInformer(c clients) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(
		newListWatch(c.core, podResource),
		&corev1.Pod{}, podResync,
		cache.Indexers{
			byMigration: indexBy(migrationUID),
			byVM:        indexBy(vmOfPod),
		})
}

func newMigrationInformer(c clients) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(
		newListWatch(c.kubevirt, migrationResource),
		&kubevirtv1.VirtualMachineInstanceMigration{}, migrationResync,
		cache.Indexers{
			byUID: indexBy(func(m *kubevirtv1.VirtualMachineInstanceMigration) string { return string(m.UID) }),
			byVM:  indexBy(vmOfMigration),
		})
}

// listWatch lists first and then watches. The controller's model uses client-go
// 0.34, which does so; later versions stream the list through the watch, and hand
// its objects to the handlers in random order.
type listWatch struct{ *cache.ListWatch }

func newListWatch(c cache.Getter, resource string) cache.ListerWatcher {
	return listWatch{cache.NewListWatchFromClient(c, resource, metav1.NamespaceAll, fields.Everything())}
}

// IsWatchListSemanticsUnSupported is what client-go asks for before it streams.
func (listWatch) IsWatchListSemanticsUnSupported() bool { return true }

// indexBy makes an index of one value; objects with the empty value are left out.
func indexBy[T any](value func(T) string) cache.IndexFunc {
	return func(obj any) ([]string, error) {
		if o, ok := obj.(T); ok {
			if v := value(o); v != "" {
				return []string{v}, nil
			}
		}
		return nil, nil
	}
}

// addEventHandlers says which events enqueue what.
func (c *Controller) addEventHandlers() error {
	onMigration := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.enqueueMigration(obj) },
		UpdateFunc: c.migrationUpdated,
	}
	onPod := cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) { c.podDeleted(deleted(obj)) },
	}
	if c.variant == Wake {
		onMigration.UpdateFunc = func(before, after any) {
			c.migrationUpdated(before, after)
			c.migrationEnded(before, after)
		}
		onMigration.DeleteFunc = func(obj any) { c.migrationDeleted(deleted(obj)) }
		onPod.AddFunc = func(obj any) { c.wakeMigration(obj) }
		onPod.UpdateFunc = c.podUpdated
	}
	if _, err := c.migrations.AddEventHandler(onMigration); err != nil {
		return err
	}
	_, err := c.pods.AddEventHandler(onPod)
	return err
}

func (c *Controller) enqueueMigration(obj any) {
	if m, ok := obj.(*kubevirtv1.VirtualMachineInstanceMigration); ok {
		c.migrationQueue.Add(cache.MetaObjectToName(m).String())
	}
}

func (c *Controller) migrationUpdated(before, after any) {
	old, _ := before.(*kubevirtv1.VirtualMachineInstanceMigration)
	m, _ := after.(*kubevirtv1.VirtualMachineInstanceMigration)
	if old == nil || m == nil {
		return
	}
	if m.DeletionTimestamp != nil || m.Status.Phase != old.Status.Phase {
		c.enqueueMigration(m)
	}
}

func (c *Controller) podDeleted(obj any) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return
	}
	if vm := vmOfPod(pod); vm != "" {
		c.podQueue.Add(vm) // in variant wake, this wakes the VM's migrations too
	} else if c.variant == Wake {
		c.wakeMigration(pod)
	}
}

// deleted unwraps the object of a deletion that a new list brought to light.
func deleted(obj any) any {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return tombstone.Obj
	}
	return obj
}
