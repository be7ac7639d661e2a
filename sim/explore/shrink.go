package explore

import (
	"slices"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Shrink looks for the smallest schedule for which same still holds, given one
// for which it does: first the fewest perturbations, then for each of them the
// simplest kind and the smallest delay. Of the result no perturbation can be left
// out. It always takes the same way, and asks for every schedule at most once.
func Shrink(s Schedule, same func(Schedule) bool) Schedule {
	known := map[string]bool{}
	ask := func(s Schedule) bool {
		id := identify(s)
		answer, asked := known[id]
		if !asked {
			answer = same(s)
			known[id] = answer
		}
		return answer
	}
	s = fewest(slices.Clone(s), ask)
	for {
		before := identify(s)
		for i := range s {
			s = simplify(s, i, ask)
		}
		s = fewest(s, ask)
		if identify(s) == before {
			return s
		}
	}
}

// fewest leaves out what can be left out: large parts first, then one by one
// until each is needed.
func fewest(s Schedule, ask func(Schedule) bool) Schedule {
	for size := (len(s) + 1) / 2; size >= 1; {
		left := false
		for from := 0; from < len(s); {
			without := slices.Concat(s[:from], s[min(from+size, len(s)):])
			if ask(without) {
				s, left = without, true
			} else {
				from += size
			}
		}
		if size == 1 && !left {
			break
		}
		if size > 1 {
			size /= 2
		}
	}
	return s
}

// simplify replaces one perturbation by the first of the simpler ones that does.
func simplify(s Schedule, i int, ask func(Schedule) bool) Schedule {
	for _, p := range simpler(s[i]) {
		other := slices.Clone(s)
		other[i] = p
		if ask(other) {
			return other
		}
	}
	return s
}

// rungs are the delays that shrinking tries.
var rungs = []time.Duration{
	5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 5 * time.Second, 20 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
}

// simpler are the perturbations of the same point that are simpler than one, the
// simplest first: short delays, longer ones, then what breaks, then what fails.
func simpler(p engine.Perturbation) []engine.Perturbation {
	var all []engine.Perturbation
	add := func(q engine.Perturbation) {
		q.Point = p.Point
		if lighter(q, p) {
			all = append(all, q)
		}
	}
	for _, d := range rungs {
		add(engine.Perturbation{Delay: d})
	}
	add(engine.Perturbation{Break: engine.BreakAgain})
	add(engine.Perturbation{Reset: true})
	add(engine.Perturbation{Status: 500})
	if p.Stale > 0 && p.Crash != "" {
		add(engine.Perturbation{Crash: p.Crash, Restart: p.Restart})
	}
	for _, d := range rungs {
		add(smaller(p, d))
	}
	return all
}

// smaller is a perturbation of the same kind that lasts only so long.
func smaller(p engine.Perturbation, d time.Duration) engine.Perturbation {
	q := p
	switch {
	case p.Repeat > 0:
		q.Repeat = d
	case p.Stale > 0:
		q.Stale = d
	case p.Pause > 0:
		q.Pause = d
	case p.Clock > 0:
		q.Clock = d
	case p.Clock < 0:
		q.Clock = -d
	}
	return q
}

// lighter compares the kinds of two perturbations, and of one kind their delays.
func lighter(a, b engine.Perturbation) bool {
	if x, y := weight(a), weight(b); x != y {
		return x < y
	}
	return a.Lasts()+a.Clock.Abs() < b.Lasts()+b.Clock.Abs()
}

func weight(p engine.Perturbation) int {
	switch {
	case p.Break == engine.BreakAgain:
		return 1
	case p.Reset:
		return 2
	case p.Status == 500:
		return 3
	case p.Status != 0:
		return 4
	case p.Lost:
		return 5
	case p.Break == engine.BreakGone:
		return 6
	case p.Pause != 0:
		return 7
	case p.Crash != "":
		return 8
	case p.Repeat != 0:
		return 9
	case p.Stale != 0:
		return 10
	case p.Steal:
		return 11
	case p.Clock != 0:
		return 12
	}
	return 0
}

// identify is a schedule as a text.
func identify(s Schedule) string {
	text := ""
	for _, p := range s {
		text += p.Point + "\x00" + Describe(p) + "\x00"
	}
	return text
}
