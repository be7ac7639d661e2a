package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/vmreplay/vmreplay/sim/explore"
)

// A meter shows how far a search is: a line that is written over on a terminal,
// a line every few seconds elsewhere. It writes to standard error.
type meter struct {
	w        io.Writer
	name     string
	limit    time.Duration // of --for; 0 means none
	terminal bool
	width    int
	began    time.Time
	shown    time.Time
	last     explore.Progress
}

// How often the meter is shown.
const (
	onTerminal = 100 * time.Millisecond
	onLines    = 10 * time.Second
)

func (a *app) meter(name string, limit time.Duration) *meter {
	if a.quiet {
		return &meter{w: io.Discard, name: name, began: time.Now(), shown: time.Now()}
	}
	m := &meter{w: a.err, name: name, limit: limit, began: time.Now(), shown: time.Now(), width: 80}
	if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		m.terminal = true
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			m.width = w
		}
	}
	return m
}

func (m *meter) show(p explore.Progress) {
	m.last = p
	every := onLines
	if m.terminal {
		every = onTerminal
	}
	if now := time.Now(); now.Sub(m.shown) >= every {
		m.shown = now
		m.write(now)
	}
}

func (m *meter) write(now time.Time) {
	line := meterLine(m.name, m.last, now.Sub(m.began), m.limit)
	if !m.terminal {
		fmt.Fprintln(m.w, line)
		return
	}
	if len(line) >= m.width {
		line = line[:m.width-1]
	}
	fmt.Fprintf(m.w, "\r%s\x1b[K", line)
}

// end leaves a line with what it took.
func (m *meter) end() {
	if m.terminal {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
	took := time.Since(m.began)
	fmt.Fprintf(m.w, "%s: %d schedules in %s, %.0f/s\n", m.name, m.last.Done, took.Round(100*time.Millisecond), rate(m.last.Done, took))
}

func rate(n int, took time.Duration) float64 { return float64(n) / max(took.Seconds(), 0.001) }

// meterLine is a bar with the schedules, their rate, the decisions perturbed,
// what failed and the time that is left.
func meterLine(name string, p explore.Progress, took, limit time.Duration) string {
	const cells = 20
	share := float64(p.Done) / float64(max(p.Total, 1))
	left := time.Duration(float64(took) * (1 - share) / max(share, 1e-9))
	if limit > 0 && limit-took < left {
		share, left = float64(took)/float64(limit), limit-took
	}
	full := min(cells, int(share*cells))
	return fmt.Sprintf("%s [%s%s] %s: %d schedules, %.0f/s, %d of %d points, %d failed, %d causes, %s left",
		name, strings.Repeat("#", full), strings.Repeat(".", cells-full), p.Phase, p.Done, rate(p.Done, took),
		p.Points, p.Of, p.Red, p.Causes, max(left, 0).Round(time.Second))
}
