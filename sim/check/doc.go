// Package check holds the oracles: it says whether a run satisfies the checks
// of its scenario, and where it does not, why.
//
// A Spec is the compiled checks of one scenario; a Monitor watches one run by
// them. Conditions are evaluated after every step that changed an object of a
// kind that they read, never by polling. What only requests and queues tell
// (rates, back-offs, quiet) is read from the trace at the end.
//
// The package knows scenarios, expressions and the engine's traces. It knows
// nothing of the API server or of the parts of the cluster: objects come through
// World.
package check
