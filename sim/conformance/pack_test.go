package conformance

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// packs are the controllers whose stories are played on a real server, too.
var packs = []string{"vmim", "kvvm"}

// pack are the stories of a controller that come with the project.
func pack(tb testing.TB, controller string) []*sim.Story {
	tb.Helper()
	sources, err := scenario.OpenPaths(nil)
	if err != nil {
		tb.Fatal(err)
	}
	loaded, err := scenario.LoadAll(sources, sim.Catalog(), sim.Conditions())
	if err != nil {
		tb.Fatal(err)
	}
	var stories []*sim.Story
	for _, s := range loaded {
		story, err := sim.Compile(s)
		if err != nil {
			tb.Fatal(err)
		}
		if story.Type() == controller {
			stories = append(stories, story)
		}
	}
	return stories
}

// A play is one story under one variant, to be played on a real server.
type play struct {
	story     *sim.Story
	variant   string
	first     bool // under the unpatched controller, or under our own variant
	simulated *sim.Result
	took      time.Duration // the simulated run, in real time
	length    time.Duration // of the real run
}

func (p *play) name() string {
	return p.story.Type() + "/" + p.story.Metadata.Name + "/" + p.variant
}

// plays are all plays of a controller that are wanted. Those that cannot be made
// on a real server are left out, and leave is told the reason.
func plays(tb testing.TB, controller string, wanted func(*play) bool, leave func(*play, string)) []*play {
	tb.Helper()
	var all []*play
	for _, story := range pack(tb, controller) {
		variants := story.Variants()
		for i, variant := range variants {
			p := &play{story: story, variant: variant, first: i == 0 || i == len(variants)-1}
			switch reason := forced(story); {
			case !wanted(p):
			case reason != "":
				leave(p, reason)
			default:
				all = append(all, p)
			}
		}
	}
	return all
}

// simulate makes the simulated run, which says how long the real one is.
func (p *play) simulate(t *testing.T) {
	t.Helper()
	p.simulated = sim.Run(t, p.story, p.variant, sim.Options{Seed: 1})
	p.length = lengthOf(p.simulated)
}

// A budget is how long several servers may play.
type budget struct {
	servers int
	given   time.Duration // on each; 0 is no limit
	spent   time.Duration // on all
	short   bool          // something did not fit
}

// afford takes a play into the budget, if it fits. One that takes most of the time
// of a server does not: it could not be placed beside others.
func (b *budget) afford(p *play) bool {
	if b.given == 0 {
		return true
	}
	if p.length > b.given/2 || b.spent+p.length > time.Duration(b.servers)*b.given {
		b.short = true
		return false
	}
	b.spent += p.length
	return true
}

// choose takes as many plays as there is time for: first those under the unpatched
// controller and under our own variant, and the others if these leave time; short
// ones before long ones. The longest come first in the answer, so that all servers
// are busy to the end.
func choose(t *testing.T, all []*play, b budget, leave func(*play, string)) []*play {
	t.Helper()
	var chosen []*play
	for _, first := range []bool{true, false} {
		group := slices.DeleteFunc(slices.Clone(all), func(p *play) bool { return p.first != first })
		if !b.short {
			for _, p := range group {
				p.simulate(t)
			}
			slices.SortFunc(group, shortFirst)
			chosen = append(chosen, b.choose(t, group, leave)...)
			continue
		}
		for _, p := range group {
			leave(p, leftLong)
		}
	}
	slices.SortStableFunc(chosen, func(a, b *play) int { return shortFirst(b, a) })
	return chosen
}

func (b *budget) choose(t *testing.T, group []*play, leave func(*play, string)) (chosen []*play) {
	t.Helper()
	for _, p := range group {
		switch {
		case !b.afford(p):
			leave(p, leftLong)
		case p.close(t):
			b.spent -= p.length
			leave(p, leftClose)
		default:
			chosen = append(chosen, p)
		}
	}
	return chosen
}

func shortFirst(a, b *play) int {
	return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.name(), b.name()))
}
