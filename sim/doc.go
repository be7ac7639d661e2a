// Package sim replays Kubernetes controllers against a simulated cluster in
// virtual time. It puts the parts together; each part is a package of its own.
// In the order in which somebody who writes a scenario or embeds the simulator
// meets them:
//
//   - scenario: the language of the stories, and the loader that says where a
//     file is wrong. Load gives a Scenario; Compile here makes it a Story.
//   - Run plays a Story under a variant of its controllers and returns a Result:
//     the checks, the trace, and whether that is what the story expects. Judge
//     also makes sure that a failure repeats.
//   - check: what must hold (eventually, always, never, backoff, rate, quiet),
//     and why it does not.
//   - timeline: a trace as text; report: results as tables, JUnit, pages.
//   - gate: the same for a controller in its own source tree, with patches.
//   - explore: searches for the schedules that break a story, and shrinks them.
//   - controllers: the controllers under test that come with the module. They
//     know nothing of the simulator; a Subject binds one to it by RESTConfig,
//     Queue and Logger. To run your own, give Options.Subjects another one.
//
// Behind them, for whoever changes how the cluster behaves:
//
//   - cluster: the stand-ins for scheduler, kubelet, garbage collectors, KubeVirt
//     and OVN.
//   - apiserver: the simulated kube-apiserver; conformance holds it against the
//     real one.
//   - api: the types of kinds that no library brings along.
//   - engine: the loop, one decision at a time; a run is a pure function of its
//     configuration and of what the controllers ask.
//   - lockstep: the bubble in which controllers run, and the gate at which all
//     their requests wait.
//   - expr, nearest, wholefile: conditions in CEL, the word that was probably
//     meant, and files that are there whole or not at all.
//
// Imports point down this list, never up.
package sim
