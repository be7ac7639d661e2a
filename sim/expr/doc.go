// Package expr is the language of conditions: CEL expressions over the objects
// of a cluster. Each kind is a function of a key, and a plural of it lists:
//
//	vmim("default/migration").status.phase == "Scheduling"
//	pod("default/target") != null
//	pod("default/target").?spec.?nodeName.orValue("") == "node-b"
//	pods().exists(p, p.metadata.name.startsWith("virt-launcher-"))
//
// An expression is compiled once and evaluated very often, at writes of the
// kinds that it reads, so evaluation reads objects only where it needs them.
//
// The package knows the standard library, cel-go and the finder of misspelt
// words, and nothing else of the project: where kinds and objects come from is
// the caller's business.
package expr
