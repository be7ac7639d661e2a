// Package engine is the loop of a run: it decides, one thing at a time, which
// API request is answered, which watch event is delivered and which stand-in
// works next, and keeps the trace of it.
//
// An Engine is a plain single-threaded object. It never blocks, starts no
// goroutine and never reads a clock: lockstep tells it the virtual time and what
// arrived, and it answers with actions. A run is therefore a pure function of
// the configuration and of what the controllers ask.
//
// Everything that waits is an item in one agenda, ordered by the instant at
// which it is due and then by the order in which it was raised. Each item is a
// decision with a stable name, a Point. The engine knows lockstep's messages and
// the two interfaces Server and Watch; it knows no API semantics and no stand-in.
package engine
