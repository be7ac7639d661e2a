package check

import (
	"strconv"
	"strings"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A Result is the verdict of one check over one run.
type Result struct {
	Name string
	OK   bool
	// Message says what was found: one line if the check holds, several, none
	// longer than 160 columns, if it does not.
	Message string
	// Vacuous says that the check was never put to the test: what it counts from
	// never came.
	Vacuous bool
	// After is the step after which a check of every write was violated: it may be
	// whose fault it is. It is zero for other checks.
	After engine.Point
	// At is when the check was decided or violated, since the run's start.
	At  time.Duration
	Pos scenario.Pos
}

// FormatTime prints a virtual time exactly and compactly: whole minutes as
// "15m0s", below a second as "5ms", everything else in seconds, "81.945s".
func FormatTime(d time.Duration) string {
	if d < time.Second || d%time.Minute == 0 {
		return d.String()
	}
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}

// Bounds of a message: the columns of a line, and into how many lines one that
// is longer is broken before the rest is cut off.
const (
	maxColumns = 160
	maxBreaks  = 4
)

// joinLines makes a message of lines, those that are too long broken.
func joinLines(lines ...string) string {
	var all []string
	for _, line := range lines {
		all = append(all, wrap(line)...)
	}
	return strings.Join(all, "\n")
}

// wrap breaks a line at spaces into lines of at most maxColumns; the later ones
// are indented four columns more.
func wrap(line string) []string {
	letters := []rune(line)
	body := strings.TrimLeft(line, " ")
	indent := strings.Repeat(" ", len(line)-len(body)+4)
	var lines []string
	for len(letters) > maxColumns && len(lines) < maxBreaks-1 {
		cut := maxColumns
		for i := maxColumns; i > maxColumns/2; i-- {
			if letters[i] == ' ' {
				cut = i
				break
			}
		}
		lines = append(lines, string(letters[:cut]))
		letters = []rune(indent + strings.TrimLeft(string(letters[cut:]), " "))
	}
	if len(letters) > maxColumns {
		letters = append(letters[:maxColumns-3], []rune("...")...)
	}
	return append(lines, string(letters))
}
