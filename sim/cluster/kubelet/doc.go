// Package kubelet stands for the kubelets of all nodes: it starts the containers
// of bound pods, reports their state, and ends pods that are deleted.
//
// CNI ADD of a virtual machine's pod waits until the network says that the pod's
// ports are installed on the node. Where they never are, the pod never becomes
// ready: that is the dead-lock of a live migration without network set-up.
//
// Of the statuses of a real kubelet, only those are written that a controller
// waits for: the start of the containers, the readiness gate, the end. The
// package knows standin and facts; the network and virt-handler reach it through
// the interfaces below.
package kubelet
