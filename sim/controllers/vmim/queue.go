package vmim

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
)

// Names of the queues.
const (
	// MigrationQueue holds migrations, as "namespace/name".
	MigrationQueue = "AddOrUpdateVMIMigration"
	// PodQueue holds VMs, as "namespace/VM", whose launcher pods were deleted.
	PodQueue = "DeletePod"
)

// workerPeriod is the pause before a worker that ended starts again
// (upstream-verdicts 1.3).
const workerPeriod = 50 * time.Millisecond

type queue struct {
	name string
	workqueue.TypedRateLimitingInterface[string]
}

// defaultQueue makes a queue with the back-off that client-go gives to a caller
// without wishes: 5 ms doubling up to 1000 s for a key, and 10 a second after a
// burst of 100 for all (kubevirt-behaviour 0.1).
func defaultQueue(name string) workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.DefaultTypedControllerRateLimiter[string](),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: name})
}

// A handler does the work of one key. An error puts the key back with back-off.
type handler func(ctx context.Context, key string) error

// handlers returns the variant's handlers of the two queues.
func (c *Controller) handlers() (migration, pod handler) {
	if c.variant == Wake {
		return c.settleMigration, c.settleVM
	}
	return c.handleMigration, c.cleanPorts
}

// startWorkers starts one worker for each queue.
func (c *Controller) startWorkers(ctx context.Context, running *sync.WaitGroup) {
	migration, pod := c.handlers()
	running.Go(func() { c.work(ctx, c.migrationQueue, migration) })
	running.Go(func() { c.work(ctx, c.podQueue, pod) })
}

// work is one worker: it handles keys until ctx is done or the queue shuts down.
func (c *Controller) work(ctx context.Context, q queue, handle handler) {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		for c.processNext(ctx, q, handle) {
		}
	}, workerPeriod)
}

// processNext handles one key, and says whether there may be more.
func (c *Controller) processNext(ctx context.Context, q queue, handle handler) bool {
	key, shutdown := q.Get()
	if shutdown {
		return false
	}
	defer q.Done(key)
	if ctx.Err() != nil {
		// A queue hands out what it holds even after it was shut down; a process
		// that was told to end starts no new work.
		return false
	}
	err := handle(ctx, key)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		q.AddRateLimited(key)
		c.log.Error(err, "not handled, the key goes back to the queue", "queue", q.name, "key", key, "failures", q.NumRequeues(key))
	default:
		q.Forget(key)
	}
	return true
}
