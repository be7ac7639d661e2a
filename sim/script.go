package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A script plays a story's timeline and moves its informers' clocks.
type script struct {
	world    *World
	waiting  []int  // events whose condition was not true yet
	tried    []bool // by event: its time came
	failures []string
	last     time.Duration // when the last event happened
	clocks   []clock
}

func newScript(w *World) *script {
	s := &script{world: w, tried: make([]bool, len(w.Story.Timeline))}
	for _, c := range w.Story.Informers {
		s.clocks = append(s.clocks, clock{InformerClock: c})
	}
	return s
}

// start puts on the agenda what the start of the run decides.
func (s *script) start() {
	for i := range s.clocks {
		s.clocks[i].start(s.world.Engine)
	}
	for i, ev := range s.world.Story.Timeline {
		switch {
		case ev.At != nil:
			s.plan(i, *ev.At)
		case ev.When != nil:
			s.waiting = append(s.waiting, i)
		}
	}
	s.test(nil)
}

// plan lets an event happen at an instant.
func (s *script) plan(i int, at time.Duration) {
	ev := &s.world.Story.Timeline[i]
	s.world.Engine.After(pointOf(ev), at-s.world.Engine.Elapsed(), func() engine.Outcome {
		again := s.tried[i]
		s.tried[i], s.last = true, s.world.Engine.Elapsed()
		out, err := s.world.act(ev)
		if again {
			return s.repeated(out, err)
		}
		if err != nil {
			out.Text = err.Error()
			s.failures = append(s.failures, fmt.Sprintf("%s at %v: %v", describe(ev), s.world.Engine.Elapsed(), err))
			return out
		}
		s.happen(i)
		return out
	})
}

// repeated is what comes of an event that a schedule repeats. That it fails is
// no wonder: what is deleted already is not there. Nobody who waits for the event
// hears of it a second time.
func (s *script) repeated(out engine.Outcome, err error) engine.Outcome {
	if err != nil {
		out.Text = err.Error()
	}
	return out
}

// happen tells everybody who waits for an event by its name.
func (s *script) happen(i int) {
	name := s.world.Story.Timeline[i].Name
	if name == "" {
		return
	}
	now := s.world.Engine.Elapsed()
	s.world.monitor.Happened(name, now)
	for j, ev := range s.world.Story.Timeline {
		if ev.Once == name {
			s.plan(j, now+ev.After)
		}
	}
	for j := range s.clocks {
		s.clocks[j].happened(s.world.Engine, name)
	}
}

// observe plans the events whose condition a step made true.
func (s *script) observe(step *engine.Step) {
	if len(step.Changes) > 0 && len(s.waiting) > 0 {
		s.test(step.Changes)
	}
}

func (s *script) test(changes []engine.Change) {
	s.waiting = slices.DeleteFunc(s.waiting, func(i int) bool {
		p := s.world.Story.whens[i]
		if changes != nil && !slices.ContainsFunc(changes, func(c engine.Change) bool { return p.Reads(c.Ref.Kind) }) {
			return false
		}
		if ok, err := p.Eval(s.world); err != nil || !ok {
			return false
		}
		s.plan(i, s.world.Engine.Elapsed()+s.world.Story.Timeline[i].After)
		return true
	})
}

// verdict names what the script could not do: a story in which something never
// happened proves nothing.
func (s *script) verdict() (timeline, informers []string) {
	timeline = s.failures
	for i := range s.world.Story.Timeline {
		if ev := &s.world.Story.Timeline[i]; !s.tried[i] {
			timeline = append(timeline, describe(ev)+" never happened")
		}
	}
	for _, c := range s.clocks {
		if !c.matched() {
			informers = append(informers, fmt.Sprintf("line %d: nothing of %s's informer of %s was ever slowed or held", c.Pos.Line, c.Process, c.Kind))
		}
	}
	return timeline, informers
}

func describe(ev *scenario.Event) string {
	name := ev.Name
	if name == "" {
		name = pointOf(ev).Verb
	}
	return fmt.Sprintf("line %d: event %s", ev.Pos.Line, name)
}
