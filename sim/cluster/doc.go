// Package cluster puts the stand-ins of a run together: the parts of a Kubernetes
// cluster with KubeVirt and OVN that play along with the controller under test.
//
// It knows every stand-in, wires those that meet on a node without the API (the
// kubelet with the network, virt-handler with its launchers), and reads their
// settings. Nothing in it knows the controllers.
package cluster
