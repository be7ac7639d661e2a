// Package podgc stands for the pod garbage collector of kube-controller-manager:
// every 20 s it ends the pods that nobody else will (kubevirt-behaviour C.5, E).
// Those are pods in deletion that were never bound, so that no kubelet knows them,
// and pods of nodes that have been gone for 40 s. A finalizer on such a pod is what
// makes others wait for it.
//
// Ticks that would find nothing are not played. Not modelled: the limit on ended
// pods, and nodes that are out of service.
//
// The package knows standin and facts; it knows no other stand-in.
package podgc
