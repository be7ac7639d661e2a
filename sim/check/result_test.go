package check

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFormatTime(t *testing.T) {
	tests := []struct {
		name string
		d    time.Duration
	}{
		{"0s", 0}, {"5ms", 5 * ms}, {"1.5ms", 1500 * us}, {"1ns", 1}, {"1s", s}, {"81.945s", 81*s + 945*ms},
		{"15m0s", 15 * time.Minute}, {"164s", 164 * s}, {"3600.000000001s", time.Hour + 1}, {"24h0m0s", 24 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := FormatTime(tt.d); got != tt.name {
				t.Errorf("%d ns is %q, want %q", tt.d, got, tt.name)
			}
		})
	}
}

func ExampleFormatTime() {
	fmt.Println(FormatTime(81945 * time.Millisecond))
	// Output: 81.945s
}

func TestWrap(t *testing.T) {
	x := strings.Repeat
	tests := []struct {
		name string
		line string
		want []string
	}{
		{"short", "  a b", []string{"  a b"}},
		{"exactly wide enough", x("ä", 160), []string{x("ä", 160)}},
		{"at a space", "  " + x("a", 150) + " " + x("b", 50), []string{"  " + x("a", 150), "      " + x("b", 50)}},
		{"a space just behind the edge", x("a", 160) + " b", []string{x("a", 160), "    b"}},
		{"within a word", x("a", 200), []string{x("a", 160), "    " + x("a", 40)}},
		{"cut in the end", x("a", 1000), []string{x("a", 160), "    " + x("a", 156), "    " + x("a", 156), "    " + x("a", 153) + "..."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, wrap(tt.line)); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}
