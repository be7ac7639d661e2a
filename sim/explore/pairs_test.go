package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/engine"
)

func TestPairs(t *testing.T) {
	const written = 1
	of := func(name string, at, rejoins int, order uint64) single {
		return single{Perturbation: engine.Perturbation{Point: name, Reset: true}, at: at, rejoins: rejoins, order: order}
	}
	red := of("a", 0, 9, 2)
	red.red = true
	tests := []struct {
		name    string
		singles []single
		want    [][2]string
		same    int
		apart   int
	}{
		{"two that overlap", []single{of("a", 0, 9, 2), of("b", 5, 9, 3)}, [][2]string{{"a", "b"}}, 0, 0},
		{"one is over before the other's turn", []single{of("a", 0, 4, 2), of("b", 5, 9, 3)}, nil, 0, 1},
		{"the other way round", []single{of("b", 5, 9, 3), of("a", 0, 5, 2)}, nil, 0, 1},
		{"one changes nothing", []single{of("a", 0, 0, written), of("b", 5, 9, 3)}, nil, 1, 0},
		{"both do the same", []single{of("a", 0, 9, 2), of("b", 5, 9, 2)}, nil, 1, 0},
		{"one fails by itself", []single{red, of("b", 5, 9, 3)}, nil, 1, 0},
		{"of one decision", []single{of("a", 0, 9, 2), of("a", 0, 9, 3)}, nil, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := pairsOf(test.singles, written)
			var names [][2]string
			for _, p := range got.kept {
				names = append(names, [2]string{p[0].Point, p[1].Point})
			}
			if diff := cmp.Diff(test.want, names); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got.sameOrder != test.same || got.independent != test.apart {
				t.Errorf("%d of the same order and %d independent, want %d and %d", got.sameOrder, got.independent, test.same, test.apart)
			}
		})
	}
}

// Pairs are drawn without repetition, all of them if there is room.
func TestDraw(t *testing.T) {
	var p pairs
	for i := range 10 {
		p.kept = append(p.kept, [2]engine.Perturbation{{Point: "a"}, {Point: string(rune('b' + i))}})
	}
	for _, n := range []int{0, 4, 10, 99} {
		drawn := p.draw(7, n)
		seen := map[string]bool{}
		for _, s := range drawn {
			seen[identify(s)] = true
		}
		if want := min(n, 10); len(drawn) != want || len(seen) != want {
			t.Errorf("of 10 pairs, %d drawn: got %d, %d of them different", n, len(drawn), len(seen))
		}
		if diff := cmp.Diff(drawn, p.draw(7, n)); diff != "" {
			t.Errorf("drawn again, they differ:\n%s", diff)
		}
	}
}
