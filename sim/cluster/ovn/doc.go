// Package ovn stands for the OVN northbound database and for the ovn-controllers
// of the nodes, as far as a live migration needs them.
//
// The rows of the logical switch ports are objects of the internal kind
// LogicalSwitchPort in the API server's own store, so that expressions, fixtures
// and traces reach them like everything else. A DB answers the calls of a
// network controller; Chassis are the ovn-controllers, which claim ports on their
// nodes and which the kubelet's CNI ADD waits for.
//
// The package knows standin; it knows no other stand-in.
package ovn
