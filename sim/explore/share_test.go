package explore

import (
	"testing"

	"pgregory.net/rapid"
)

// Every schedule is exactly one shard's, and each shard knows how many it has.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, shards := rapid.IntRange(0, 300).Draw(t, "n"), rapid.IntRange(1, 20).Draw(t, "shards")
		owners := make([]int, n)
		for shard := 1; shard <= shards; shard++ {
			s := &Search{o: Options{Shard: shard, Shards: shards}}
			owned := 0
			for i := range n {
				if s.owns(i) {
					owners[i]++
					owned++
				}
			}
			if got := s.share(n); got != owned {
				t.Fatalf("shard %d of %d owns %d of %d schedules, and expects %d", shard, shards, owned, n, got)
			}
		}
		for i, n := range owners {
			if n != 1 {
				t.Fatalf("schedule %d is of %d shards", i, n)
			}
		}
	})
}
