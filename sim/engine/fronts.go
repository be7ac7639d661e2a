package engine

import "time"

// An informer is the list and watch of one process for one kind.
type informer struct{ process, kind string }

// fronts are the API front-ends that are behind the others: each stopped some
// time before it answers a list, and goes on after as long again.
type fronts struct {
	stopped map[string]front           // by process that lists from it
	until   map[informer]time.Duration // when what it answered for goes on
}

// A front is behind by some time, from the first list that it answers until it has
// caught up.
type front struct{ ago, caughtUp time.Duration }

// stop has the lists of a process that starts come from a front-end that stopped
// so long ago, or from one that did not.
func (f *fronts) stop(process string, ago time.Duration) {
	delete(f.stopped, process)
	if ago > 0 {
		f.stopped[process] = front{ago: ago}
	}
}

// ask asks for the answer of the front-end that the process talks to.
func (f *fronts) ask(r *Request, info RequestInfo, now time.Duration) {
	behind, ok := f.stopped[r.Process]
	if !ok || r.Stale != 0 || info.Verb != "list" {
		return
	}
	if behind.caughtUp == 0 {
		behind.caughtUp = now + behind.ago
		f.stopped[r.Process] = behind
	}
	if now < behind.caughtUp {
		r.Stale = behind.ago
	}
}

// answered notes that a list was answered with an older state than there is.
func (f *fronts) answered(r *Request, info RequestInfo, now time.Duration) {
	f.until[informer{r.Process, info.Kind}] = now + r.Stale
}

func (f *fronts) served(r *Request, info RequestInfo) bool {
	_, ok := f.until[informer{r.Process, info.Kind}]
	return ok
}

// goesOn is when the watch after a list has its first event, if that list was
// answered by a front-end that stopped; otherwise it is the start of the run.
func (f *fronts) goesOn(process, kind string) time.Duration {
	at := f.until[informer{process, kind}]
	delete(f.until, informer{process, kind})
	return at
}
