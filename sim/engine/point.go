package engine

import (
	"fmt"
	"strings"
)

// A Ref names one object of the cluster. Namespace is empty for cluster-scoped kinds.
type Ref struct {
	Kind      string // "Pod"
	Namespace string
	Name      string
}

// Key is "namespace/name", or "name" for a cluster-scoped object.
func (r Ref) Key() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

func (r Ref) String() string { return r.Kind + " " + r.Key() }

// ParseKey is the inverse of Ref.Key.
func ParseKey(kind, key string) Ref {
	if ns, name, ok := strings.Cut(key, "/"); ok {
		return Ref{kind, ns, name}
	}
	return Ref{Kind: kind, Name: key}
}

// Processes that are the scenario itself.
const (
	User          = "user"           // the timeline
	InformerClock = "informer-clock" // lags and holds
)

// Verbs of decision points. Requests use the API verbs of kube-apiserver's
// audit log (get, list, watch, create, update, patch, delete).
const (
	VerbDeliver = "deliver" // a watch event reaches an informer's cache
	VerbCall    = "call"    // a call to a system that is not Kubernetes
	VerbWork    = "work"    // a stand-in takes a key from its queue
	VerbTimer   = "timer"   // a stand-in's own delay is over
	VerbDo      = "do"      // a step of the scenario's timeline
	VerbStart   = "start"   // a process starts
	VerbStop    = "stop"    // a process is killed
	VerbTake    = "take"    // a process takes a key from its queue: no decision, but it counts for Limits.PerKey
)

// A Point names one decision: something that is about to happen and that a
// schedule may delay, fail or hold. The name is made of what a reader of the
// controller knows, and of no step number, so it survives small changes of the
// code: "kube-ovn-controller: deliver Pod default/target ADDED #1".
type Point struct {
	Process string // "kube-ovn-controller"
	Verb    string // VerbDeliver, "get", ...
	Kind    string // "Pod"
	Object  string // Ref.Key, or empty for lists and watches of all
	Detail  string // event type, subresource or operation
	N       int    // how-manieth of this name, from 1
}

func (p Point) String() string {
	var b strings.Builder
	b.WriteString(p.Process)
	b.WriteString(": ")
	b.WriteString(p.Verb)
	for _, s := range []string{p.Kind, p.Object, p.Detail} {
		if s != "" {
			b.WriteByte(' ')
			b.WriteString(s)
		}
	}
	fmt.Fprintf(&b, " #%d", p.N)
	return b.String()
}
