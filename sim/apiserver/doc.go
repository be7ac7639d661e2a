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
// Package conformance compares both and has the list. Beyond it: of admission
// there are the defaults of pods and ResourceQuota without scopes; namespaces need
// not exist. Schemas of custom resources (package crd) are enforced on requests
// where they are given, not on what stand-ins write. Quantities stay as they were
// written. Field managers are tracked from an object's first apply on, and what
// came before is read out of the history. A watch ends only when one side closes
// it: timeoutSeconds is ignored. Controllers of the controller manager do not run:
// CollectGarbage and CountQuota do one round of theirs.
package apiserver
