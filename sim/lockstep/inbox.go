package lockstep

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
)

// A posting is an arrival and the exchange that waits for its answer, if one does.
type posting struct {
	Arrival
	exchange *exchange
}

// An inbox collects what arrives between two quiet points. Its lock is held only
// for appends, never while anything waits, so it cannot stop the clock.
type inbox struct {
	mu     sync.Mutex
	posts  []posting
	spare  []posting
	wake   chan struct{}
	room   chan struct{} // closed at the next take
	notes  int           // since the last take
	closed bool
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1), room: make(chan struct{})} }

// manyNotes is how much the processes may say of themselves before the bubble must
// be quiet: nothing that works says a tenth of it.
const manyNotes = 20_000

// note posts a remark. Who says too much waits until the root has listened: a loop
// that does nothing but work on its queue would keep the bubble from ever being
// quiet, and fill the memory. After the run's end it waits for ever.
func (b *inbox) note(p posting, heard bool) {
	b.mu.Lock()
	b.notes++
	full, room := b.notes > manyNotes, b.room
	b.mu.Unlock()
	if full {
		<-room
	}
	if heard {
		b.add(p)
	}
}

// add posts one arrival and wakes the root. It reports false after close.
func (b *inbox) add(p posting) bool {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return false
	}
	b.posts = append(b.posts, p)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
	return true
}

// take empties the inbox, sorted by name. The result is valid until the next take.
func (b *inbox) take() []posting {
	b.mu.Lock()
	posts := b.posts
	b.posts, b.spare = b.spare[:0], posts
	if b.notes > manyNotes {
		close(b.room)
		b.room = make(chan struct{})
	}
	b.notes = 0
	b.mu.Unlock()
	select {
	case <-b.wake:
	default:
	}
	posts = settleCancels(posts)
	if len(posts) > 1 {
		slices.SortStableFunc(posts, byName)
	}
	return posts
}

// settleCancels gives each Cancel the ID of its exchange. An exchange that was
// given up before the engine heard of it never happened: both arrivals go.
func settleCancels(posts []posting) []posting {
	var void map[*exchange]bool
	for i := range posts {
		if posts[i].Kind != Cancel {
			continue
		}
		if posts[i].ID = posts[i].exchange.id; posts[i].ID == 0 {
			if void == nil {
				void = make(map[*exchange]bool)
			}
			void[posts[i].exchange] = true
		}
	}
	if void == nil {
		return posts
	}
	return slices.DeleteFunc(posts, func(p posting) bool { return p.exchange != nil && void[p.exchange] })
}

func (b *inbox) close() {
	b.mu.Lock()
	b.closed, b.posts = true, nil
	close(b.room) // those that wait may end; whoever goes on waits for ever
	b.room, b.notes = make(chan struct{}), 0
	b.mu.Unlock()
}

// rank puts what explains a moment before what follows from it.
var rank = map[ArrivalKind]int{Note: 0, Panic: 1, Exit: 2, Cancel: 3, Call: 4, Request: 5}

// noteRank orders the sources of notes: what a handler logs comes before what
// its queue does next, as the log line explains it.
func noteRank(p posting) string {
	if p.Source == SourceLog {
		return ""
	}
	return p.Source
}

// byName orders arrivals by everything that names them. Two that compare equal
// are interchangeable. Goroutines run side by side between two quiet points, so
// notes of one source keep their order only within a key (the sort is stable): of
// one key's notes each follows from the one before, while a worker that takes the
// first key of a delivery may or may not be ahead of the add of the second.
func byName(a, b posting) int {
	if c := cmp.Or(cmp.Compare(rank[a.Kind], rank[b.Kind]), strings.Compare(a.Process, b.Process)); c != 0 {
		return c
	}
	if a.Kind == Note {
		return cmp.Or(strings.Compare(noteRank(a), noteRank(b)), strings.Compare(a.Key, b.Key))
	}
	return cmp.Or(
		cmp.Compare(a.ID, b.ID),
		strings.Compare(a.Method, b.Method),
		strings.Compare(a.Path, b.Path),
		strings.Compare(a.System, b.System),
		strings.Compare(a.Op, b.Op),
		slices.Compare(a.Args, b.Args),
		bytes.Compare(a.Body, b.Body),
		strings.Compare(a.Text, b.Text),
	)
}
