package explore

import (
	"math/rand/v2"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A single is a perturbation with what it did alone.
type single struct {
	engine.Perturbation
	at      int // index of its decision in the written order
	rejoins int
	order   uint64
	red     bool
}

// pairs are the pairs of perturbations that are worth a run, and how many are
// left out and why.
type pairs struct {
	kept [][2]engine.Perturbation
	// sameOrder are those with a perturbation that alone gave an order that was
	// there already: the written one, or that of an earlier perturbation.
	sameOrder int
	// independent are those whose first perturbation is over, and the run back in
	// the written order, before the second one's turn.
	independent int
}

// pairsOf pairs what single perturbations are left after pruning. Singles that
// fail by themselves are not paired: the pair would be found for the same cause.
func pairsOf(singles []single, written uint64) pairs {
	var out pairs
	orders := map[uint64]bool{written: true}
	var left []single
	for _, s := range singles {
		if orders[s.order] || s.red {
			continue
		}
		orders[s.order] = true
		left = append(left, s)
	}
	for i, a := range left {
		for _, b := range left[i+1:] {
			switch {
			case a.at == b.at:
			case independent(a, b) || independent(b, a):
				out.independent++
			default:
				out.kept = append(out.kept, [2]engine.Perturbation{a.Perturbation, b.Perturbation})
			}
		}
	}
	out.sameOrder = pairCount(len(singles)) - pairCount(len(left))
	return out
}

// independent says that a is over before it is b's turn.
func independent(a, b single) bool { return a.at < b.at && a.rejoins <= b.at }

func pairCount(n int) int { return n * (n - 1) / 2 }

// draw takes n of the pairs without taking one twice, in the seed's order; all, if
// there are no more.
func (p *pairs) draw(seed uint64, n int) []Schedule {
	order := rand.New(rand.NewPCG(seed, 0x7061697273)).Perm(len(p.kept))
	var out []Schedule
	for _, i := range order[:min(n, len(order))] {
		out = append(out, Schedule{p.kept[i][0], p.kept[i][1]})
	}
	return out
}
