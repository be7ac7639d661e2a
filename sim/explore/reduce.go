package explore

import (
	"slices"
	"time"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A reduction is a story without what a finding does not need.
type reduction struct {
	story   *sim.Story
	player  *Player
	events  []int    // indexes that are left out of the timeline
	clocks  []int    // and of the informers' clocks
	checks  []int    // and of the checks
	dropped []string // the events, in words
}

// reduce leaves out of the timeline what can be left out while the schedule fails
// for the same cause and the written order does not, the last event first; and it
// ends the run as early as the file allows.
func (p *Player) reduce(s Schedule, c Cause) reduction {
	best := reduction{story: p.Story, player: p}
	for i := len(p.Story.Timeline) - 1; i >= 0; i-- {
		candidate, ok := p.without(append(slices.Clone(best.events), i), p.Story.Until, c.Check)
		if ok && candidate.fails(p, s, c) {
			best = candidate
		}
	}
	if until := best.shortest(); until < p.Story.Until {
		if candidate, ok := p.without(best.events, until, c.Check); ok && candidate.fails(p, s, c) {
			best = candidate
		}
	}
	return best
}

// fails plays a reduced story. Only the schedule may make it fail.
func (r *reduction) fails(of *Player, s Schedule, c Cause) bool {
	setting := of.Setting
	setting.Story = r.story
	var err error
	if r.player, err = NewPlayer(of.t, setting); err != nil {
		return false
	}
	if w := r.player.written.outcome; (w.Red || w.Unplayed) && !of.written.outcome.Red {
		return false
	}
	o := r.player.PlayOne(s)
	return o.Red && o.Cause == c && len(o.Unapplied) == 0
}

// without is the story without some events, and without the checks and clocks
// that refer to them. ok is false if something else needs them.
func (p *Player) without(events []int, until time.Duration, needed string) (r reduction, ok bool) {
	gone := map[string]bool{}
	short := *p.Story.Scenario
	short.Until, short.Timeline, short.Informers, short.Expect = until, nil, nil, nil
	r.events = events
	for i, ev := range p.Story.Timeline {
		if slices.Contains(events, i) {
			gone[ev.Name] = ev.Name != ""
			r.dropped = append(r.dropped, nameOfEvent(&p.Story.Timeline[i]))
		} else {
			short.Timeline = append(short.Timeline, ev)
		}
	}
	for _, ev := range short.Timeline {
		if gone[ev.Once] {
			return r, false
		}
	}
	for i, c := range p.Story.Informers {
		if c.Hold != nil && (gone[c.Hold.From.Event] || c.Hold.Until != nil && gone[c.Hold.Until.Event]) {
			r.clocks = append(r.clocks, i)
		} else {
			short.Informers = append(short.Informers, c)
		}
	}
	for i, c := range p.Story.Expect {
		if gone[causeOf(&c)] {
			r.checks = append(r.checks, i)
			if c.Name == needed {
				return r, false
			}
		} else {
			short.Expect = append(short.Expect, c)
		}
	}
	story, err := sim.Compile(&short)
	r.story = story
	return r, err == nil
}

// causeOf is the event that a check counts from, or empty.
func causeOf(c *scenario.Check) string {
	switch {
	case c.Eventually != nil && c.Eventually.Of != nil:
		return c.Eventually.Of.Event
	case c.Quiet != nil:
		return c.Quiet.From.Event
	}
	return ""
}

func nameOfEvent(ev *scenario.Event) string {
	if ev.Name != "" {
		return ev.Name
	}
	return "the event of line " + lineOf(ev.Pos)
}

// shortest is the earliest end that a file may give to the run: nothing in it may
// lie beyond.
func (r *reduction) shortest() time.Duration {
	least := time.Second
	reach := func(at time.Duration) {
		if at > least {
			least = at.Truncate(time.Second)
			if least < at {
				least += time.Second
			}
		}
	}
	for i := range r.story.Timeline {
		if at := r.story.Timeline[i].At; at != nil {
			reach(*at)
		}
		reach(r.story.Timeline[i].After)
	}
	if r.player != nil {
		reach(r.player.written.lastUser)
	}
	for _, c := range r.story.Informers {
		if c.Hold != nil {
			reach(c.Hold.From.Offset)
			if c.Hold.Until != nil {
				reach(c.Hold.Until.Offset)
			}
		}
	}
	for i := range r.story.Expect {
		reach(lengthOf(&r.story.Expect[i]))
	}
	return least
}

// lengthOf is how long the run must be for a check.
func lengthOf(c *scenario.Check) time.Duration {
	switch {
	case c.Eventually != nil && c.Eventually.Of != nil:
		return c.Eventually.Within + c.Eventually.Of.Offset
	case c.Eventually != nil:
		return c.Eventually.Within
	case c.Stays != nil:
		return c.Stays.For
	case c.Quiet != nil:
		return c.Quiet.From.Offset
	}
	return 0
}
