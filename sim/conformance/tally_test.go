package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A tally counts the plays of one controller for the closing table.
type tally struct {
	controller      string
	runs, agreed    int
	real, simulated time.Duration
	played          map[string]bool           // stories of which at least one run was made
	left            map[string]map[string]int // runs by reason and story
}

func newTally(controller string) *tally {
	return &tally{controller: controller, played: map[string]bool{}, left: map[string]map[string]int{}}
}

// add counts a run that was made.
func (c *tally) add(p *play, took time.Duration, agreed bool) {
	c.runs++
	c.played[p.story.Metadata.Name] = true
	c.real += took
	c.simulated += p.took
	if agreed {
		c.agreed++
	}
}

// leave counts a run that was not made.
func (c *tally) leave(p *play, reason string) {
	if c.left[reason] == nil {
		c.left[reason] = map[string]int{}
	}
	c.left[reason][p.story.Metadata.Name]++
}

// ratio is by how much the simulated runs were faster.
func (c *tally) ratio() float64 { return float64(c.real) / float64(max(c.simulated, 1)) }

// lines are the tally's part of the closing table: a name and a value each.
func (c *tally) lines() [][2]string {
	stories, runs := maps.Clone(c.played), c.runs
	for _, left := range c.left {
		for story, n := range left {
			stories[story] = true
			runs += n
		}
	}
	lines := [][2]string{
		{"scenarios agreed", fmt.Sprintf("%d of %d runs of %s, in %d of its %d stories; %d runs left out", c.agreed, c.runs, c.controller, len(c.played), len(stories), runs-c.runs)},
		{"speed ratio", fmt.Sprintf("%.0f for %s: %s real, %s simulated", c.ratio(), c.controller, c.real.Round(time.Second), c.simulated.Round(time.Millisecond))},
	}
	for _, reason := range []string{leftForced, leftPart, leftClose, leftLong} {
		if len(c.left[reason]) > 0 {
			lines = append(lines, [2]string{"  left out", c.leftLine(reason)})
		}
	}
	return lines
}

func (c *tally) leftLine(reason string) string {
	n := 0
	var names []string
	for _, story := range slices.Sorted(maps.Keys(c.left[reason])) {
		n += c.left[reason][story]
		names = append(names, fmt.Sprintf("%s (%d)", story, c.left[reason][story]))
	}
	return fmt.Sprintf("%d runs of %s that %s: %s", n, c.controller, reason, strings.Join(names, ", "))
}
