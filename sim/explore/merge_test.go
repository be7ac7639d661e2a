package explore

import (
	"strings"
	"testing"
)

// What a shard that ended early does not know of the whole search, another one
// tells; two that have both come that far must agree.
func TestMergeOfWhatEndedEarly(t *testing.T) {
	full, part, none := Pruned{All: 100, Kept: 60}, Pruned{All: 10, Kept: 6}, Pruned{}
	for _, c := range []struct {
		name                 string
		one, other           Pruned
		oneEnded, otherEnded bool
		want                 Pruned
		refused              string
	}{
		{name: "both whole", one: full, other: full, want: full},
		{name: "one ended early", one: part, oneEnded: true, other: full, want: full},
		{name: "the other ended early", one: full, other: part, otherEnded: true, want: full},
		{name: "both ended early", one: none, oneEnded: true, other: part, otherEnded: true, want: part},
		{name: "both whole, and different", one: full, other: part, refused: "shards 1 and 2 have searched in different programs or scenarios: expected 100 pairs, 60 of them left, found 10 and 6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			shard := func(n int, p Pruned, ended bool) *Report {
				return &Report{Path: "a.yaml", Variant: "none", Seed: 1, Budget: 10, Shards: []int{n}, Of: 2, Pairs: p, Interrupted: ended}
			}
			all, err := Merge([]*Report{shard(1, c.one, c.oneEnded), shard(2, c.other, c.otherEnded)})
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("expected %q, found %v", c.refused, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := all[0]; got.Pairs != c.want || got.Interrupted != (c.oneEnded || c.otherEnded) {
				t.Errorf("pairs %+v, ended early %v", got.Pairs, got.Interrupted)
			}
		})
	}
}
