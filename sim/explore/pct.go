package explore

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// PCT (Burckhardt et al. 2010) gives each of n threads a random priority, and at
// d-1 random ones of k decisions drops that of the thread that is about to act.
// Here a thread is one watch of one process, or the rest of a process; a priority
// is a delay of all of its decisions, by rank; a drop is a long delay.

// rank is what a thread's decisions wait for each thread before it: longer than
// what a stand-in takes from an event to its write.
const rank = 20 * time.Millisecond

// A PCT is what the schedules of that phase are drawn from.
type PCT struct {
	Threads   int `json:"threads"`   // n
	Decisions int `json:"decisions"` // k
	Depth     int `json:"depth"`     // d
	// Probability is the least with which one schedule meets an order that takes
	// d constraints, as far as its delays can bring that order about: 1/(n k^(d-1)).
	Probability float64 `json:"probability"`

	points  []engine.Point
	threads []int // of the points
}

func (p *Player) pct(depth int) PCT {
	c := PCT{Depth: depth}
	numbers := map[string]int{}
	for i := range p.written.steps {
		pt := p.written.steps[i].Point
		if pt.Detail == engine.Bookmark || pt.Process == clockProcess {
			continue
		}
		thread := threadOf(pt)
		if _, known := numbers[thread]; !known {
			numbers[thread] = len(numbers)
		}
		c.points = append(c.points, pt)
		c.threads = append(c.threads, numbers[thread])
	}
	c.Threads, c.Decisions = len(numbers), len(c.points)
	c.Probability = 1 / (float64(c.Threads) * math.Pow(float64(c.Decisions), float64(depth-1)))
	return c
}

func threadOf(p engine.Point) string {
	if p.Verb == engine.VerbDeliver {
		return p.Process + " " + p.Kind
	}
	return p.Process
}

// within is how many schedules are played of at most so many: until one may be
// expected to have met an order of the depth. That number has no bound of its own:
// at depth 10 it is more than an int holds.
func (c *PCT) within(most int) int {
	if expected := math.Ceil(1 / c.Probability); expected < float64(most) {
		return int(expected)
	}
	return most
}

// schedule is the PCT schedule of a number.
func (c *PCT) schedule(seed, number uint64) Schedule {
	random := rand.New(rand.NewPCG(seed, number))
	ranks := random.Perm(c.Threads)
	dropped := map[int]time.Duration{}
	for range c.Depth - 1 {
		i := random.IntN(c.Decisions)
		long := ladderOf(c.points[i])[1:]
		dropped[i] = long[random.IntN(len(long))]
	}
	var s Schedule
	for i, point := range c.points {
		if d := time.Duration(ranks[c.threads[i]])*rank + dropped[i]; d > 0 {
			s = append(s, engine.Perturbation{Point: point.String(), Delay: d})
		}
	}
	return s
}

// mostAtRandom is how many perturbations a random schedule has at most.
const mostAtRandom = 6

// randomSchedule draws from all perturbations: two with probability 1/2, three with
// 1/4 and so on, at most one of a decision.
func randomSchedule(from []engine.Perturbation, seed, number uint64) Schedule {
	random := rand.New(rand.NewPCG(seed^0x72616e646f6d, number))
	n := 2
	for n < mostAtRandom && random.IntN(2) == 0 {
		n++
	}
	var s Schedule
	taken := map[string]bool{}
	for range n {
		p := from[random.IntN(len(from))]
		if !taken[p.Point] {
			taken[p.Point] = true
			s = append(s, p)
		}
	}
	return s
}
