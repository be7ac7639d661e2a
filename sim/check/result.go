package check

import (
	"strconv"
	"strings"
	"time"

	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A Result is the verdict of one check over one run.
type Result struct {
	Name string
	OK   bool
	// Message says what was found: one line if the check holds, several, none
	// longer than 160 columns, if it does not.
	Message string
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

// maxColumns bounds the lines of a message.
const maxColumns = 160

// joinLines makes a message of lines, each cut to what a reader can take in.
func joinLines(lines ...string) string {
	for i, line := range lines {
		lines[i] = clip(line)
	}
	return strings.Join(lines, "\n")
}

func clip(line string) string {
	if len(line) <= maxColumns {
		return line
	}
	letters := []rune(line)
	if len(letters) <= maxColumns {
		return line
	}
	return string(letters[:maxColumns-3]) + "..."
}
