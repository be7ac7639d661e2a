package lockstep

import (
	"fmt"
	"time"
)

// What a process notes of its work queues: the source of the note is the queue's
// name, the key is that of the item.
const (
	QueueAdd         = "add"
	QueueGet         = "get"
	QueueDone        = "done"
	QueueForget      = "forget"
	QueueRateLimited = "add-rate-limited"
	QueueAddAfter    = "add-after"
)

// A RateLimitingQueue has the methods of client-go's
// workqueue.TypedRateLimitingInterface[T], so each is assignable to the other.
type RateLimitingQueue[T comparable] interface {
	Add(item T)
	Len() int
	Get() (item T, shutdown bool)
	Done(item T)
	ShutDown()
	ShutDownWithDrain()
	ShuttingDown() bool
	AddAfter(item T, duration time.Duration)
	AddRateLimited(item T)
	Forget(item T)
	NumRequeues(item T) int
}

// Queue is the queue q, which also tells the trace what is done with it. Checks
// of back-off and the explanation of a dropped key read those notes; apart from
// them it does what q does.
func Queue[T comparable](env *Env, name string, q RateLimitingQueue[T]) RateLimitingQueue[T] {
	return notedQueue[T]{q, func(op string, item T, text string) { env.Note(name, op, fmt.Sprint(item), text) }}
}

type notedQueue[T comparable] struct {
	RateLimitingQueue[T]
	note func(op string, item T, text string)
}

// Each note of a producer comes before the operation, and Get's after it: so a
// worker that is woken by an Add notes its Get behind it.

func (q notedQueue[T]) Add(item T) {
	q.note(QueueAdd, item, "")
	q.RateLimitingQueue.Add(item)
}

func (q notedQueue[T]) AddAfter(item T, d time.Duration) {
	q.note(QueueAddAfter, item, d.String())
	q.RateLimitingQueue.AddAfter(item, d)
}

func (q notedQueue[T]) AddRateLimited(item T) {
	q.note(QueueRateLimited, item, "")
	q.RateLimitingQueue.AddRateLimited(item)
}

func (q notedQueue[T]) Forget(item T) {
	q.note(QueueForget, item, "")
	q.RateLimitingQueue.Forget(item)
}

func (q notedQueue[T]) Done(item T) {
	q.note(QueueDone, item, "")
	q.RateLimitingQueue.Done(item)
}

func (q notedQueue[T]) Get() (T, bool) {
	item, shutdown := q.RateLimitingQueue.Get()
	if !shutdown {
		q.note(QueueGet, item, "")
	}
	return item, shutdown
}
