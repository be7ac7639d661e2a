package engine

// The running hash is FNV-1a over 64 bits, extended step by step.
const (
	hashStart uint64 = 14695981039346656037
	hashPrime uint64 = 1099511628211
)

// hashStep extends a run's hash by the time, name, outcome and resourceVersion
// of a step. Nothing that depends on the real world may enter here.
func hashStep(h uint64, s *Step) uint64 {
	h = hashInt(h, uint64(s.At))
	for _, t := range [...]string{s.Point.Process, s.Point.Verb, s.Point.Kind, s.Point.Object, s.Point.Detail, s.Outcome} {
		h = hashText(h, t)
	}
	h = hashInt(h, uint64(s.Point.N))
	return hashInt(h, s.Version)
}

func hashText(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return (h ^ 0xff) * hashPrime // ends the text: "a","b" is not "ab",""
}

func hashInt(h, v uint64) uint64 {
	for range 8 {
		h = (h ^ v&0xff) * hashPrime
		v >>= 8
	}
	return h
}
