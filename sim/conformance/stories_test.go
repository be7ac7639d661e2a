//go:build conformance

package conformance

import (
	"flag"
	"fmt"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim"
)

var (
	pairs     = flag.Int("pairs", 6, "how many real servers play stories side by side")
	storyTime = flag.Duration("story-time", 3*time.Minute, "how long stories may be played in all; 0 means as long as all of them take")
	onlyStory = flag.String("story", "", "play only the stories whose name and variant match this regular expression: vmim/same-node/none")
)

// TestStories plays the stories on real servers, in real time, with the reference
// controllers and the stand-ins as clients, and compares how they went with the
// simulation.
func TestStories(t *testing.T) {
	wanted, err := regexp.Compile(*onlyStory)
	if err != nil {
		t.Fatal(err)
	}
	tallies := map[string]*tally{}
	var all []*play
	for _, controller := range packs {
		c := newTally(controller)
		tallies[controller] = c
		all = append(all, plays(t, controller, func(p *play) bool { return wanted.MatchString(p.name()) }, c.leave)...)
	}
	chosen := choose(t, all, budget{servers: *pairs, given: *storyTime}, func(p *play, reason string) { tallies[p.story.Type()].leave(p, reason) })
	for _, p := range chosen {
		p.time(t)
	}
	servers := startPairs(t, *pairs)
	playAll(t, servers, chosen, func(p *play, took time.Duration, found []difference) {
		tallies[p.story.Type()].add(p, took, len(found) == 0)
		for _, d := range found {
			t.Errorf("%s: %s", p.name(), d)
		}
	})
	for _, controller := range packs {
		for _, line := range tallies[controller].lines() {
			closing.add(line[0], line[1])
		}
	}
	if c := tallies[packs[0]]; c.runs > 0 && c.ratio() < fasterThan {
		t.Errorf("the stories of %s: want a simulation at least %d times as fast as a real server, found %.0f", c.controller, fasterThan, c.ratio())
	}
}

// fasterThan is by how much the simulation of the stories of vmim has to be faster
// than the same stories on a real server that is up already.
const fasterThan = 1000

// startPairs starts servers.
func startPairs(t *testing.T, n int) []*pair {
	t.Helper()
	servers := make([]*pair, n)
	for i := range servers {
		servers[i] = newPair(t)
	}
	return servers
}

// playAll plays side by side, one story at a time on each server, and tells of
// each, one after another.
func playAll(t *testing.T, servers []*pair, all []*play, tell func(*play, time.Duration, []difference)) {
	t.Helper()
	queue := make(chan *play, len(all))
	for _, p := range all {
		queue <- p
	}
	close(queue)
	var mu sync.Mutex
	var group sync.WaitGroup
	for _, server := range servers {
		group.Go(func() {
			for p := range queue {
				start := time.Now()
				r, err := runLive(t.Context(), server, p.story, p.variant, p.length)
				took := time.Since(start)
				found := []difference{{path: "the run", real: fmt.Sprint(err), simulated: "ended"}}
				if err == nil {
					found = parted(outcomeOf(r), outcomeOf(p.simulated))
				}
				mu.Lock()
				t.Logf("%s: %d differences after %s; simulated in %s", p.name(), len(found), took.Round(time.Millisecond), p.took)
				tell(p, took, found)
				mu.Unlock()
			}
		})
	}
	group.Wait()
}

// time measures the simulated run: the fastest of some, for whatever else goes on
// in the machine adds to it. None is the first one: what that prepares, later ones
// find done, as on a server that is up.
func (p *play) time(t *testing.T) {
	t.Helper()
	const tries = 5
	for range tries {
		start := time.Now()
		sim.Run(t, p.story, p.variant, sim.Options{Seed: 1})
		if took := time.Since(start); p.took == 0 || took < p.took {
			p.took = took
		}
	}
}
