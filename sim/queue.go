package sim

import (
	"k8s.io/client-go/util/workqueue"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// Queue is client-go's own rate-limiting queue with its default limiter, which
// also tells the trace what is done with it.
func Queue(env *lockstep.Env, name string) workqueue.TypedRateLimitingInterface[string] {
	return lockstep.Queue(env, name, workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.DefaultTypedControllerRateLimiter[string](),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: name},
	))
}
