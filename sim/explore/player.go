package explore

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// DefaultBound is how long after the last perturbation everything must be right.
const DefaultBound = 60 * time.Second

// A Setting is what is the same in all runs of a search.
type Setting struct {
	Story   *sim.Story
	Variant string
	// Seed decides what is random within a run, so that names are the same in all.
	Seed uint64
	// Bound is how long after the last perturbation and the last event everything
	// must be right; 0 means DefaultBound.
	Bound time.Duration
	// Subjects replaces the controllers that the module brings along.
	Subjects []sim.Subject
	// Tree, if it is set, has the controllers in a source tree of their own.
	Tree *Tree
}

// A Tree is what a search needs of controllers in a source tree: variants are
// sets of patches there.
type Tree struct {
	// Runner makes the runs of a set of patches.
	Runner func(set string) (sim.Runner, error)
	// Sets are those for which a scenario that is found has verdicts.
	Sets []string
	// Flags is what a command that plays the scenario needs besides, as a shell
	// reads it.
	Flags string
}

// A Runner plays schedules. The outcomes are in the order of the schedules and do
// not depend on how many are played at a time. An error means that it cannot go
// on.
type Runner interface {
	Play(ctx context.Context, schedules []Schedule) ([]*Outcome, error)
	// Width is how many schedules it can play at a time.
	Width() int
}

// A Player is the Runner that plays one schedule after the other in this process.
type Player struct {
	t *testing.T
	Setting
	runner  sim.Runner      // nil for controllers in this process
	under   map[string]bool // processes under test
	elects  map[string]bool // those that elect a leader
	written written
	seen    map[string]bool // what was reported as reached
}

// written is the run without perturbations.
type written struct {
	outcome  *Outcome
	steps    []engine.Step
	marks    []uint64 // of the steps, without times
	points   map[string]bool
	index    map[string]int      // of the points
	fates    map[string]string   // of keys, by process, queue and key
	said     map[string][]string // what was logged of them, normalized
	lastUser time.Duration       // when the last event of the timeline happened
}

// NewPlayer plays the story as it is written. It fails if that cannot be judged.
// t only serves to make bubbles.
func NewPlayer(t *testing.T, s Setting) (*Player, error) {
	if s.Bound == 0 {
		s.Bound = DefaultBound
	}
	p := &Player{t: t, Setting: s, under: map[string]bool{}, elects: map[string]bool{}, seen: map[string]bool{}}
	for _, c := range s.Story.Controllers {
		p.under[c.Name], p.elects[c.Name] = true, c.Lease != ""
	}
	var err error
	if p.runner, err = p.runnerOf(s.Variant); err != nil {
		return nil, err
	}
	r := p.run(nil)
	if r.Status != sim.Judged {
		return nil, fmt.Errorf("%s under %s: the written order is %s: %s", s.Story.Metadata.Name, s.Variant, r.Status, r.Detail)
	}
	w := written{steps: r.Trace.Steps, points: map[string]bool{}, index: map[string]int{}, fates: map[string]string{}, said: map[string][]string{}}
	for i := range w.steps {
		st := &w.steps[i]
		w.points[st.Point.String()], w.index[st.Point.String()] = true, i
		if st.Point.Process == engine.User {
			w.lastUser = st.At
		}
	}
	w.marks = marks(r.Trace)
	for _, f := range fatesOf(r.Trace, r.Trace.End, p.under) {
		w.fates[keyOf(f)] = textOf(f)
		for _, line := range f.Said {
			w.said[keyOf(f)] = append(w.said[keyOf(f)], normalize(line))
		}
	}
	p.written = w
	p.written.outcome = p.outcome(r)
	return p, nil
}

// Width implements Runner.
func (p *Player) Width() int { return 1 }

// Play implements Runner.
func (p *Player) Play(ctx context.Context, schedules []Schedule) ([]*Outcome, error) {
	out := make([]*Outcome, 0, len(schedules))
	for _, s := range schedules {
		select {
		case <-ctx.Done():
			return out, nil
		default:
			out = append(out, p.PlayOne(s))
		}
	}
	return out, nil
}

// PlayOne plays one schedule.
func (p *Player) PlayOne(s Schedule) *Outcome { return p.outcome(p.run(s)) }

func (p *Player) run(s Schedule) *sim.Result {
	return sim.Run(p.t, p.Story, p.Variant, sim.Options{Seed: p.Seed, Schedule: s, Bound: p.Bound, Subjects: p.Subjects, Runner: p.runner})
}

// runnerOf makes the runs of a variant.
func (s *Setting) runnerOf(variant string) (sim.Runner, error) {
	if s.Tree == nil {
		return nil, nil
	}
	return s.Tree.Runner(variant)
}

// flags is what a command needs that plays a scenario of this setting.
func (s *Setting) flags() string {
	if s.Tree == nil {
		return ""
	}
	return s.Tree.Flags
}

// outcome takes from a result what a search wants to know.
func (p *Player) outcome(r *sim.Result) *Outcome {
	o := &Outcome{Status: string(r.Status), Detail: r.Detail, Hash: r.Trace.Hash}
	if r.Status != sim.Judged {
		return o
	}
	m := marks(r.Trace)
	o.Order = orderOf(m)
	o.Rejoins = len(p.written.marks) - commonTail(m, p.written.marks)
	o.Reach = p.reach(r)
	o.Extra = p.extra(r.Trace)
	failed := slices.DeleteFunc(r.Failed(), isAboutTheStory)
	o.Unplayed = len(failed) == 0 && slices.ContainsFunc(r.Failed(), func(c string) bool { return c != sim.CheckSchedule })
	o.Unapplied = r.Unapplied
	if o.Red = len(failed) > 0; o.Red {
		o.Cause = p.cause(r)
	}
	return o
}

// isAboutTheStory tells the checks that fail if a run was another story than it
// should have been. That is no fault of the code under test.
func isAboutTheStory(name string) bool {
	return name == sim.CheckSchedule || name == sim.CheckTimeline || name == sim.CheckInformers
}

// indexOf is the place of a point in the written order; behind it, if it has no
// such point.
func (p *Player) indexOf(point string) int {
	if i, ok := p.written.index[point]; ok {
		return i
	}
	return len(p.written.steps)
}
