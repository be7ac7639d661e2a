// Package garbage stands for the garbage collector of kube-controller-manager: it
// deletes what all owners of are gone, deletes the dependents of what is deleted in
// the foreground, and lets go what is deleted with its dependents orphaned.
//
// It is a process of its own here, so that it can be late, or crash, by itself. One
// round of it is one decision, with all its writes; the rules are the API server's,
// by CollectGarbage. It looks when a write may have left something to do, and not
// again before the next such write.
//
// The package knows standin; it knows no other stand-in.
package garbage
