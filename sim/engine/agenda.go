package engine

import (
	"container/heap"
	"time"
)

// An item is one decision that waits for its turn.
type item struct {
	point  Point
	raised time.Duration
	due    time.Duration
	seq    uint64
	run    func() Outcome
	index  int // in the heap; -1 when it is in none
}

// agenda orders items by due time, then by the order in which they were raised.
type agenda []*item

func (a agenda) Len() int { return len(a) }

func (a agenda) Less(i, j int) bool {
	if a[i].due != a[j].due {
		return a[i].due < a[j].due
	}
	return a[i].seq < a[j].seq
}

func (a agenda) Swap(i, j int) {
	a[i], a[j] = a[j], a[i]
	a[i].index, a[j].index = i, j
}

func (a *agenda) Push(x any) {
	it := x.(*item)
	it.index = len(*a)
	*a = append(*a, it)
}

func (a *agenda) Pop() any {
	old := *a
	it := old[len(old)-1]
	old[len(old)-1] = nil
	*a = old[:len(old)-1]
	it.index = -1
	return it
}

// add puts an item on the agenda, due at an instant.
func (e *Engine) add(it *item, due time.Duration) {
	e.seq++
	it.seq, it.due = e.seq, due
	heap.Push(&e.agenda, it)
}

// drop takes an item off the agenda, wherever it is.
func (e *Engine) drop(it *item) {
	if it.index >= 0 {
		heap.Remove(&e.agenda, it.index)
	}
}

// next takes the next item that is due at an instant, or returns nil.
func (e *Engine) next(now time.Duration) *item {
	if len(e.agenda) == 0 || e.agenda[0].due > now {
		return nil
	}
	return heap.Pop(&e.agenda).(*item)
}
