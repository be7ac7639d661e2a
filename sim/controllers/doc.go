// Package controllers holds the reference controllers: one package each, with
// the variants of each as named sets of patches.
//
// They are ordinary controller code. Each takes a *rest.Config, a client of the
// system that it writes to, and a context; each makes its own informers, queues
// and workers. None of them may know that its cluster is simulated: no package
// below this one imports another package of this module, and a test in each of
// them holds it to that. So whatever a run shows about them is true of the code,
// not of a test double of it.
//
//   - vmim: sets the migration options of logical switch ports for the live
//     migrations of KubeVirt VMs, as Kube-OVN does.
package controllers
