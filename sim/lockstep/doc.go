// Package lockstep is the part of vmreplay that lives in the controller's own
// process. It runs programs in a testing/synctest bubble, where time is virtual,
// and holds every API request, every byte of a watch and every call to another
// system until an Engine grants it.
//
// The root goroutine of the bubble loops: it waits until every other goroutine
// waits, collects what arrived, sorts it by name, asks the engine, carries out
// its actions, and sleeps in virtual time until the engine wants to be asked
// again or something arrives.
//
// Sorting is what makes a run repeatable: what arrives between two quiet points
// arrives in the order in which the Go scheduler happened to run it.
//
// The package imports the standard library only, because it is also compiled
// into other people's modules, whatever version of Kubernetes they use.
package lockstep
