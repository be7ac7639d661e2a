// Package standin is what the parts of the simulated cluster are made of: views
// (caches that are as stale as any informer's), work queues with back-off, plans
// of writes, and timers.
//
// A stand-in lives inside the engine. It starts no goroutine, never blocks and
// never reads the real clock: everything that it does is a decision at the gate,
// with a name that a schedule can refer to. It reads only what its views hold,
// and every write is a decision of its own, so it may lose the same races as the
// program that it stands for.
//
// The package knows the engine's gate and the API server; it knows no stand-in.
package standin
