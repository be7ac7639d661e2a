package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// leaderOnly is decided at the end, from the changes of the trace: who held the
// lease is what the server had, whatever the replicas believe.
type leaderOnly struct{ *compiled }

func (c *leaderOnly) update(*Monitor, time.Duration, *engine.Step) {}

func (c *leaderOnly) finish(m *Monitor, t *engine.Trace) Result {
	lease := engine.ParseKey("Lease", c.LeaderOnly)
	replicas := m.spec.replicas[c.LeaderOnly]
	holder, led := holderAfter("", t.Given, lease), 0
	for i := range t.Steps {
		s := &t.Steps[i]
		if slices.Contains(replicas, s.Point.Process) && changesOther(s, lease) {
			if s.Point.Process != holder {
				r := c.fails(s.At, fmt.Sprintf("%s at %s changes %s, but %s holds the lease %s",
					s.Point, FormatTime(s.At), s.Changes[0].Ref, nobody(holder), c.LeaderOnly))
				r.After = s.Point
				return r
			}
			led++
		}
		holder = holderAfter(holder, s.Changes, lease)
	}
	r := c.holds(t.End, fmt.Sprintf("%d changes, all by the one that held the lease", led))
	r.Vacuous = led == 0
	return r
}

// changesOther says that a step changes something else than the lease.
func changesOther(s *engine.Step, lease engine.Ref) bool {
	return slices.ContainsFunc(s.Changes, func(c engine.Change) bool { return c.Ref != lease })
}

// holderAfter is who holds the lease after some changes.
func holderAfter(holder string, changes []engine.Change, lease engine.Ref) string {
	for _, c := range changes {
		if c.Ref != lease {
			continue
		}
		holder = ""
		if c.After != nil {
			spec, _ := c.After.Content()["spec"].(map[string]any)
			holder, _ = spec["holderIdentity"].(string)
		}
	}
	return holder
}

func nobody(holder string) string {
	if holder == "" {
		return "nobody"
	}
	return holder
}

func replicasOf(s *scenario.Scenario) map[string][]string {
	all := map[string][]string{}
	for _, c := range s.Controllers {
		if c.Lease != "" {
			all[c.Lease] = append(all[c.Lease], c.Name)
		}
	}
	return all
}
