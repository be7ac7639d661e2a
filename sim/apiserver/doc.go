// Package apiserver is the simulated kube-apiserver: a single-threaded object
// that stores Kubernetes objects and answers API requests as the real server
// does, without a socket, a goroutine or a look at the wall clock.
//
// The truth is lossless: an object is the map that its JSON decodes to, so that
// fields that no Go type knows survive. Every state of an object is one
// immutable [Object]; its wire bytes and its typed view are made on demand, once.
// Writes copy only the maps on the way to what they change, so content is shared
// between revisions, and with whoever gave it: nobody may modify it.
//
// It knows the engine's contracts (clock, revisions, events, requests) and
// Kubernetes' own machinery, and nothing of the processes, of the stand-ins or of
// the scenario language.
//
// # What differs from kube-apiserver
//
// There is no admission and no defaulting, schemas are not enforced, and answers
// are always JSON. Field managers are not tracked. A watch ends only when one
// side closes it: timeoutSeconds is ignored. Server-side printing of tables is
// not offered. Propagation policies of deletions are accepted and not acted on.
package apiserver
