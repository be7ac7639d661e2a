package sim

import (
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// Queue is client-go's own rate-limiting queue with its default limiter, which
// also tells the trace what is done with it. Checks of back-off and the
// explanation of a dropped key read those notes; the queue itself does nothing
// that client-go's does not.
func Queue(env *lockstep.Env, name string) workqueue.TypedRateLimitingInterface[string] {
	return notedQueue{
		TypedRateLimitingInterface: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.DefaultTypedControllerRateLimiter[string](),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: name},
		),
		note: func(op, key, text string) { env.Note(name, op, key, text) },
	}
}

type notedQueue struct {
	workqueue.TypedRateLimitingInterface[string]
	note func(op, key, text string)
}

// Each note of a producer comes before the operation, and Get's after it: so a
// worker that is woken by an Add notes its Get behind it.

func (q notedQueue) Add(key string) {
	q.note(engine.QueueAdd, key, "")
	q.TypedRateLimitingInterface.Add(key)
}

func (q notedQueue) AddAfter(key string, d time.Duration) {
	q.note(engine.QueueAddAfter, key, d.String())
	q.TypedRateLimitingInterface.AddAfter(key, d)
}

func (q notedQueue) AddRateLimited(key string) {
	q.note(engine.QueueRateLimited, key, "")
	q.TypedRateLimitingInterface.AddRateLimited(key)
}

func (q notedQueue) Forget(key string) {
	q.note(engine.QueueForget, key, "")
	q.TypedRateLimitingInterface.Forget(key)
}

func (q notedQueue) Done(key string) {
	q.note(engine.QueueDone, key, "")
	q.TypedRateLimitingInterface.Done(key)
}

func (q notedQueue) Get() (string, bool) {
	key, shutdown := q.TypedRateLimitingInterface.Get()
	if !shutdown {
		q.note(engine.QueueGet, key, "")
	}
	return key, shutdown
}
