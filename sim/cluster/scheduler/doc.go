// Package scheduler stands for kube-scheduler: it binds pods to nodes by node
// affinity, taints, cordons, resource requests, topology spread and required pod
// (anti-)affinity, and keeps what it could not place until an event may help, as
// the queueing hints of the real one do.
//
// It scores nothing: of the nodes that fit, the first by name is taken. It
// preempts nobody. The package knows standin and facts; it knows no other
// stand-in.
package scheduler
