package explore

import "github.com/vmreplay/vmreplay/sim/engine"

// FNV-1a over 64 bits.
const (
	hashStart uint64 = 14695981039346656037
	hashPrime uint64 = 1099511628211
)

// marks are the hashes of the steps of a run, each of its decision and outcome
// without time and resourceVersion: runs of the same marks are of one order.
func marks(t *engine.Trace) []uint64 {
	out := make([]uint64, len(t.Steps))
	for i := range t.Steps {
		s := &t.Steps[i]
		h := hashStart
		for _, text := range [...]string{s.Point.Process, s.Point.Verb, s.Point.Kind, s.Point.Object, s.Point.Detail, s.Outcome} {
			h = hashText(h, text)
		}
		out[i] = (h ^ uint64(s.Point.N)) * hashPrime
	}
	return out
}

func hashText(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return (h ^ 0xff) * hashPrime
}

func orderOf(marks []uint64) uint64 {
	h := hashStart
	for _, m := range marks {
		h = (h ^ m) * hashPrime
	}
	return h
}

// commonTail is how many steps at the end of two runs are the same.
func commonTail(a, b []uint64) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
