package explore

import (
	"slices"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// reach is what a run reached and no earlier run of this player did. The union
// over all runs does not depend on which player made which.
func (p *Player) reach(r *sim.Result) Reach {
	var reach Reach
	fresh := func(list *[]string, sort, text string) {
		if id := sort + text; !p.seen[id] {
			p.seen[id] = true
			*list = append(*list, text)
		}
	}
	steps := r.Trace.Steps
	for i := range steps {
		fresh(&reach.Points, "p", nameOf(steps[i].Point))
		for _, c := range steps[i].Changes {
			if phase := phaseOf(c.After); phase != "" {
				fresh(&reach.States, "s", c.Ref.Kind+" "+phase)
			}
		}
	}
	for _, n := range r.Trace.Notes {
		if n.Op == engine.QueueAdd && n.After > 0 && n.After <= len(steps) && p.under[n.Process] {
			fresh(&reach.Rules, "r", ruleOf(&steps[n.After-1], n))
		}
	}
	for _, c := range r.Checks {
		if !c.Vacuous {
			fresh(&reach.Judged, "c", c.Name)
		}
	}
	return reach
}

// nameOf is a point without its number.
func nameOf(p engine.Point) string {
	p.N = 1
	s := p.String()
	return generated.ReplaceAllString(s[:len(s)-len(" #1")], "-*")
}

// ruleOf names what enqueued a key: a kind of delivery, or else the process' own
// work.
func ruleOf(s *engine.Step, n engine.Note) string {
	if s.Point.Verb != engine.VerbDeliver || s.Point.Process != n.Process {
		return n.Process + ": its own work -> " + n.Source
	}
	return n.Process + ": deliver " + s.Point.Kind + " " + s.Point.Detail + " -> " + n.Source
}

func phaseOf(r engine.Revision) string {
	if r == nil {
		return ""
	}
	status, _ := r.Content()["status"].(map[string]any)
	phase, _ := status["phase"].(string)
	return phase
}

// maxExtra is how many points beyond the written order one run adds to those that
// are perturbed at random.
const maxExtra = 12

// extra are decisions of the processes under test that the written order has not.
func (p *Player) extra(t *engine.Trace) []Decision {
	var out []Decision
	for i := range t.Steps {
		s := &t.Steps[i]
		if len(out) == maxExtra {
			break
		}
		if p.under[s.Point.Process] && !p.written.points[s.Point.String()] {
			out = append(out, decisionOf(s))
		}
	}
	return out
}

func decisionOf(s *engine.Step) Decision {
	return Decision{Point: s.Point, Instant: s.Point.Verb == engine.VerbCall && s.At == s.Raised}
}

// union adds texts to a sorted set.
func union(set []string, texts []string) []string {
	for _, t := range texts {
		if i, found := slices.BinarySearch(set, t); !found {
			set = slices.Insert(set, i, t)
		}
	}
	return set
}
