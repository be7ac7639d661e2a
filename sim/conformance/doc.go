// Package conformance shows that the simulation does not lie: the same calls of
// ordinary clients run against a real kube-apiserver with its etcd and against
// the simulated one, random clusters go through the real kube-scheduler and the
// stand-in, the stand-in for OVN's northbound database is compared with a real
// ovsdb-server, and the stories of the pack are played on real servers in real
// time. It knows all of the simulator and nobody knows it.
//
// A case is written once. Everything that its clients are told is recorded as a
// transcript of requests and answers, from which only what cannot be equal is
// taken out: UIDs become numbers in the order of their appearance, times become
// "time", and resourceVersions their rank, so that their order still counts. Two
// transcripts that differ fail the suite, unless the difference stands in the
// list of known differences with its reason.
//
// A story is played by the very programs of the simulated run: the reference
// controllers and the stand-ins are clients of a real server, each event of the
// timeline happens when its time has come, and nothing waits for a gate. OVN's
// database alone, which no API server has, stays in memory. What a story gives
// with UIDs and status of its own is put into etcd, and what happened is read from
// etcd's history, the one place that has all kinds in one order. The verdict of
// every check, the order of phases of every migration, instance and pod and all
// final objects must equal those of the simulated run. Three rules say which runs are left out, and
// the closing table counts them:
//   - a story with a hold, a lag or a schedule forces an order, which nothing can
//     do to a real server;
//   - a run that ends another way if the simulated server, its watches or the
//     timeline are some milliseconds slower is a race, which a real server decides
//     by chance;
//   - what takes longer than the time given (-story-time) is not begun.
//
// Times are those of a real clock: a back-off may be off by a tenth of a second.
// A run ends five seconds after the last write of the simulated one, unless a
// check counts requests: nothing happens up to the story's end then, and that is
// not waited for.
//
// `make conformance` builds the real programs, once, and runs all of it. Plain
// `go test` needs none of them: it checks that the cases are well-formed, that
// the simulated server answers each of them the same way twice, and by what rules
// stories are chosen and compared.
package conformance
