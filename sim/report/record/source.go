package record

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/expr"
)

// A Source is all that a record is made of.
type Source struct {
	Trace  *engine.Trace
	Checks []check.Result
	// Unconverged says that something never became true that had to: only then is
	// a key that nobody works on any more one that was dropped.
	Unconverged bool
	Limiters    []check.Limiter
	// Schedule is what was perturbed.
	Schedule []engine.Perturbation
	// Slowed are the informers that had a clock of their own.
	Slowed []Informer
	// Conditions are what the checks are about.
	Conditions []Condition
}

// An Informer is the watch of one process for one kind, or only the events of
// one object of it.
type Informer struct{ Process, Kind, Object string }

func (i Informer) covers(p engine.Point) bool {
	return i.Process == p.Process && i.Kind == p.Kind && (i.Object == "" || i.Object == p.Object)
}

// A Condition is the expression of one check.
type Condition struct {
	Check   string
	Program *expr.Program
}

// micros is a virtual time as records have it.
func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
