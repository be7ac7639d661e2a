package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// backoff is decided at the end, from the notes of the queue.
type backoff struct{ *compiled }

func (c *backoff) update(*Monitor, time.Duration, *engine.Step) {}

func (c *backoff) finish(m *Monitor, t *engine.Trace) Result {
	attempts := c.attempts(t)
	gaps := c.gaps(attempts)
	for i, g := range gaps {
		if !g.right(max(m.jitter, time.Microsecond)) {
			return c.fails(attempts[i+1].start, append([]string{c.expected(),
				fmt.Sprintf("found %d attempts; the delay before attempt %d is wrong:", len(attempts), i+2)}, sequence(gaps, i)...)...)
		}
	}
	want := c.Backoff.Attempts
	if want == 0 && len(attempts) >= 2 || want > 0 && want == len(attempts) {
		return c.holds(attempts[len(attempts)-1].start, fmt.Sprintf("%d attempts, each after its exact delay", len(attempts)))
	}
	demand := fmt.Sprintf("expected %d attempts", want)
	if want == 0 {
		demand = "expected at least 2 attempts"
	}
	return c.fails(t.End, append([]string{c.expected(), fmt.Sprintf("%s, found %d", demand, len(attempts))}, sequence(gaps, -1)...)...)
}

func (c *backoff) attempts(t *engine.Trace) []attempt {
	only := limiterOf(c.Backoff)
	for _, h := range histories(t, t.End, nil) {
		if only.covers(h) {
			return h.attempts
		}
	}
	return nil
}

func (c *backoff) expected() string {
	l := limiterOf(c.Backoff)
	most := ""
	if l.Cap > 0 {
		most = " up to " + FormatTime(l.Cap)
	}
	return fmt.Sprintf("expected delays of %s, %s, %s, ...%s between attempts of %s in queue %s of %s",
		FormatTime(l.Delay(0)), FormatTime(l.Delay(1)), FormatTime(l.Delay(2)), most, l.Key, l.Queue, l.Process)
}

// A gap is the time between two attempts.
type gap struct {
	took, want time.Duration
	free       bool // after a success or a restart: no back-off led to the attempt
}

func (g gap) right(jitter time.Duration) bool {
	return g.free || (g.took-g.want).Abs() < jitter
}

// gaps are the delays before the second and every later attempt, with what the
// back-off demands: it starts anew when the key was forgotten.
func (c *backoff) gaps(attempts []attempt) []gap {
	limiter := limiterOf(c.Backoff)
	var gaps []gap
	failures := 0
	for i := 1; i < len(attempts); i++ {
		g := gap{took: attempts[i].start - attempts[i-1].end, free: attempts[i].fresh}
		if g.free {
			failures = 0
		} else {
			g.want = limiter.Delay(failures)
			failures++
		}
		gaps = append(gaps, g)
	}
	return gaps
}

// sequence prints delays, the wrong one marked, in lines of bearable length. Of
// very many it shows those around the wrong one.
func sequence(gaps []gap, wrong int) []string {
	const around = 12
	from, to := 0, len(gaps)
	if wrong >= 0 {
		from, to = max(0, wrong-around), min(len(gaps), wrong+around/2)
	} else if to > 2*around {
		from = to - 2*around
	}
	var words []string
	if from > 0 {
		words = append(words, "...")
	}
	for i := from; i < to; i++ {
		words = append(words, gaps[i].text(i == wrong))
	}
	if to < len(gaps) {
		words = append(words, "...")
	}
	return fill(words)
}

func (g gap) text(wrong bool) string {
	switch {
	case wrong:
		return fmt.Sprintf(">>%s<< (expected %s)", FormatTime(g.took), FormatTime(g.want))
	case g.free:
		return fmt.Sprintf("(forgotten, %s)", FormatTime(g.took))
	}
	return FormatTime(g.took)
}

// fill breaks words into indented lines.
func fill(words []string) []string {
	var lines []string
	line := " "
	for i, w := range words {
		if i < len(words)-1 {
			w += ","
		}
		if len(line)+1+len(w) > maxColumns {
			lines = append(lines, line)
			line = " "
		}
		line += " " + w
	}
	if strings.TrimSpace(line) != "" {
		lines = append(lines, line)
	}
	return lines
}
