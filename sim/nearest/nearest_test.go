package nearest

import (
	"testing"

	"pgregory.net/rapid"
)

func TestWord(t *testing.T) {
	tests := []struct {
		name  string
		got   string
		valid []string
		want  string
	}{
		{"wrong letter before extra letter", "vmin", []string{"pod", "vmi", "vmim"}, "vmim"},
		{"swapped neighbours", "ndoe", []string{"node", "nod"}, "node"},
		{"missing letter", "evenually", []string{"always", "eventually"}, "eventually"},
		{"exact", "pod", []string{"pods", "pod"}, "pod"},
		{"tie is alphabetical", "cat", []string{"rat", "bat"}, "bat"},
		{"nothing close", "kubernetes", []string{"pod", "node"}, ""},
		{"nothing valid", "pod", nil, ""},
		{"short words need a common letter", "a", []string{"b"}, ""},
		{"empty", "", []string{"x"}, ""},
		{"letters, not bytes", "délete", []string{"delete"}, "delete"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Word(tt.got, tt.valid); got != tt.want {
				t.Errorf("Word(%q, %q) = %q, want %q", tt.got, tt.valid, got, tt.want)
			}
		})
	}
}

func TestDistanceIsSymmetricAndZeroOnlyForEqual(t *testing.T) {
	word := rapid.SliceOfN(rapid.RuneFrom([]rune("abc")), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := distance(a, b)
		if back := distance(b, a); back != d {
			t.Fatalf("distance(%q, %q) = %d, but %d the other way round", string(a), string(b), d, back)
		}
		if (d == 0) != (string(a) == string(b)) {
			t.Fatalf("distance(%q, %q) = %d", string(a), string(b), d)
		}
		if d > max(len(a), len(b)) {
			t.Fatalf("distance(%q, %q) = %d, more than the longer word", string(a), string(b), d)
		}
	})
}
