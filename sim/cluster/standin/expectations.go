package standin

import "time"

// ExpectationTimeout is how long the events of a controller's own writes are
// waited for (kubevirt-behaviour 0.3, E: 5 min).
const ExpectationTimeout = 5 * time.Minute

// Expectations are a controller's own creations and deletions whose events are
// still to come, by the key at work: until then its cache must not be taken for
// the truth (kubevirt-behaviour 0.3).
type Expectations map[string]expectation

type expectation struct {
	creations int
	deletions map[string]bool // keys of the objects
	since     time.Duration
}

// ExpectCreations waits for n creations, and for nothing that was expected
// before: a new expectation overwrites the old one.
func (e Expectations) ExpectCreations(key string, n int, now time.Duration) {
	e[key] = expectation{creations: n, since: now}
}

// ExpectDeletion waits for the deletion of one object, and for nothing that was
// expected before.
func (e Expectations) ExpectDeletion(key, object string, now time.Duration) {
	e[key] = expectation{deletions: map[string]bool{object: true}, since: now}
}

// CreationObserved notes a creation that was waited for, or one that failed.
func (e Expectations) CreationObserved(key string) {
	if x, ok := e[key]; ok && x.creations > 0 {
		x.creations--
		e[key] = x
	}
}

// DeletionObserved notes a deletion that was waited for, or one that failed.
func (e Expectations) DeletionObserved(key, object string) {
	delete(e[key].deletions, object)
}

// Creating and Deleting tell whether a creation or deletion is waited for; that
// it has been for too long does not matter to them.
func (e Expectations) Creating(key string) bool { return e[key].creations > 0 }

// Deleting is described at Creating.
func (e Expectations) Deleting(key string) bool { return len(e[key].deletions) > 0 }

// Satisfied tells whether nothing is waited for any more.
func (e Expectations) Satisfied(key string, now time.Duration) bool { return !e[key].open(now) }

// AnyOpen tells whether anything is waited for, whatever the key.
func (e Expectations) AnyOpen(now time.Duration) bool {
	for _, x := range e {
		if x.open(now) {
			return true
		}
	}
	return false
}

func (x expectation) open(now time.Duration) bool {
	return x.creations+len(x.deletions) > 0 && now-x.since <= ExpectationTimeout
}
