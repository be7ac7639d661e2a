// Package nearest finds the word that somebody probably meant. Everything that
// reports an unknown name uses it, so that all errors suggest alike. It knows no
// other package of the project.
package nearest

// Word returns the word of valid that got is most likely a slip of: the one with
// the smallest Damerau-Levenshtein distance (a swap of two neighbouring letters
// counts as one edit). Of several it prefers those as long as got, then the
// alphabetically first. It returns "" if even the best one differs in more than
// a third of the longer word's letters, or in all letters of a very short one.
func Word(got string, valid []string) string {
	var best candidate
	letters := []rune(got)
	for _, word := range valid {
		other := []rune(word)
		longer := max(len(letters), len(other))
		c := candidate{word, distance(letters, other), len(letters) != len(other)}
		if c.distance > max(1, longer/3) || c.distance >= longer {
			continue
		}
		if best.word == "" || c.before(best) {
			best = c
		}
	}
	return best.word
}

type candidate struct {
	word        string
	distance    int
	otherLength bool
}

func (c candidate) before(o candidate) bool {
	if c.distance != o.distance {
		return c.distance < o.distance
	}
	// A wrong key is the commoner slip, and it keeps the length: vmin is vmim
	// rather than vmi.
	if c.otherLength != o.otherLength {
		return o.otherLength
	}
	return c.word < o.word
}

// distance is the optimal string alignment distance: Damerau-Levenshtein in
// which no part is edited twice, which is all that typing slips need.
func distance(a, b []rune) int {
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			substitute := previous[j-1]
			if a[i-1] != b[j-1] {
				substitute++
			}
			current[j] = min(substitute, previous[j]+1, current[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
