package sim

import (
	"cmp"
	"context"
	"slices"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// A Subject is a controller that scenarios can run.
type Subject struct {
	// Type is its name in scenarios: "vmim".
	Type string
	// Variants are the sets of patches that it knows, the unpatched one first.
	Variants []string
	// Run is one process of the controller; it ends with ctx.
	Run func(ctx context.Context, env *lockstep.Env, variant string) error
}

// Subjects are the controllers that the module brings along, by type.
func Subjects() []Subject {
	subjects := []Subject{kvvmSubject(), vmimSubject()}
	slices.SortFunc(subjects, func(a, b Subject) int { return cmp.Compare(a.Type, b.Type) })
	return subjects
}
