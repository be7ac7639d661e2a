// Package conformance shows that the simulation does not lie: the same calls of
// ordinary clients run against a real kube-apiserver with its etcd and against
// the simulated one, random clusters go through the real kube-scheduler and the
// stand-in, and the stand-in for OVN's northbound database is compared with a
// real ovsdb-server. It knows all of the simulator and nobody knows it.
//
// A case is written once. Everything that its clients are told is recorded as a
// transcript of requests and answers, from which only what cannot be equal is
// taken out: UIDs become numbers in the order of their appearance, times become
// "time", and resourceVersions their rank, so that their order still counts. Two
// transcripts that differ fail the suite, unless the difference stands in the
// list of known differences with its reason.
//
// `make conformance` builds the real programs, once, and runs all of it. Plain
// `go test` needs none of them: it checks that the cases are well-formed and that
// the simulated server answers each of them the same way twice.
package conformance
