package engine

import "time"

// An informer is the list and watch of one process for one kind.
type informer struct{ process, kind string }

// fronts are the API front-ends that are behind the others: each stopped some
// time before it answers a list, and goes on after as long again.
type fronts struct {
	stopped map[string]time.Duration   // how long before, by process that lists from it
	until   map[informer]time.Duration // when what it answered for goes on
}

// stop has all lists of a process come from a front-end that stopped.
func (f *fronts) stop(process string, ago time.Duration) { f.stopped[process] = ago }

// ask asks for the answer of the front-end that the process talks to.
func (f *fronts) ask(r *Request) {
	if r.Stale == 0 {
		r.Stale = f.stopped[r.Process]
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
