package check

import (
	"fmt"
	"strings"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Bounds of an explanation: what a reader takes in at once.
const (
	maxKeys       = 20
	maxLogs       = 5
	maxReads      = 5
	maxDeliveries = 8
)

// Dropped explains a run that came to rest unconverged: for every key of every
// queue, what became of its last attempt. A key that is gone was dropped: then it
// says what the attempt logged and asked for, and which later deliveries to the
// process enqueued nothing. A key that waits says until when. Limiters say how
// the queues back off where the notes do not; without them it is client-go's
// default.
//
// It returns lines of at most 160 columns; those about the key above them are
// indented.
func Dropped(t *engine.Trace, limiters ...Limiter) []string {
	return explain(t, t.End, limiters)
}

// explain is Dropped for the part of a run until an instant.
func explain(t *engine.Trace, until time.Duration, limiters []Limiter) []string {
	var lines []string
	all := histories(t, until, limiters)
	for i, h := range all {
		if i == maxKeys {
			lines = append(lines, fmt.Sprintf("and %d more keys", len(all)-maxKeys))
			break
		}
		lines = append(lines, h.explain(t, until)...)
	}
	var broken []string
	for _, line := range lines {
		broken = append(broken, wrap(line)...)
	}
	return broken
}

func (h *history) explain(t *engine.Trace, until time.Duration) []string {
	last := h.last()
	head := h.fate(t, last)
	if head == "" {
		return nil
	}
	lines := []string{fmt.Sprintf("%s (%s, queue %s)", head, h.process, h.queue)}
	if last == nil || last.running {
		return lines
	}
	lines = append(lines, h.logLines(t, last)...)
	if h.isGone() {
		lines = append(lines, readLines(t, h.process, last)...)
		lines = append(lines, deliveryLines(t, h.process, last.lastStep, until)...)
	}
	return lines
}

// isGone tells that nothing will bring the key back but a new event.
func (h *history) isGone() bool { return !h.queued.known && !h.retry.known }

// fate is what became of the key; empty if it never was anywhere.
func (h *history) fate(t *engine.Trace, last *attempt) string {
	n := len(h.attempts)
	switch {
	case last != nil && last.running:
		return fmt.Sprintf("%s is in work since %s (attempt %d)", h.key, FormatTime(last.start), n)
	case h.lost.known:
		return fmt.Sprintf("%s was lost with the process at %s", h.key, FormatTime(h.lost.at))
	case h.queued.known:
		return fmt.Sprintf("%s is queued since %s", h.key, FormatTime(h.queued.at))
	case h.retry.limited && last == nil:
		return "" // a stand-in's queue, which notes its failures only
	case h.retry.limited:
		return fmt.Sprintf("%s waits for its retry at %s: attempt %d failed at %s", h.key, FormatTime(h.retry.due), n, FormatTime(last.end))
	case h.retry.known:
		return fmt.Sprintf("%s waits until %s", h.key, FormatTime(h.retry.due))
	case last != nil:
		if h.wrote(t, last) {
			return fmt.Sprintf("%s is done, or was dropped: attempt %d, from %s to %s, wrote something and did not put it back",
				h.key, n, FormatTime(last.start), FormatTime(last.end))
		}
		return fmt.Sprintf("%s was dropped: attempt %d, from %s to %s, did not put it back", h.key, n, FormatTime(last.start), FormatTime(last.end))
	}
	return ""
}

// wrote tells whether the process changed something in an attempt.
func (h *history) wrote(t *engine.Trace, a *attempt) bool {
	for i := a.firstStep; i < a.lastStep; i++ {
		if s := &t.Steps[i]; s.Point.Process == h.process && len(s.Changes) > 0 {
			return true
		}
	}
	return false
}

// logLines are what the process logged during an attempt, the last of it.
func (h *history) logLines(t *engine.Trace, a *attempt) []string {
	var lines []string
	for i := h.firstLog(t, a); i <= a.lastNote; i++ {
		n := &t.Notes[i]
		if n.Process == h.process && n.Source == engine.SourceLog {
			lines = append(lines, fmt.Sprintf("  %s: %s", n.Op, oneLine(n.Text)))
		}
	}
	return lines[max(0, len(lines)-maxLogs):]
}

// firstLog is the first note that may be a log line of an attempt. What a process
// logs between two steps comes before what its queues do there; an attempt that
// took no step at all has its lines before its own first note.
func (h *history) firstLog(t *engine.Trace, a *attempt) int {
	first := a.firstNote
	if a.firstStep != a.lastStep {
		return first
	}
	for first > 0 && t.Notes[first-1].After == a.firstStep && t.Notes[first-1].At == a.start {
		first--
	}
	return first
}

// readLines are what the process asked for during an attempt, the last of it.
func readLines(t *engine.Trace, process string, a *attempt) []string {
	var lines []string
	for i := a.firstStep; i < a.lastStep; i++ {
		s := &t.Steps[i]
		if s.Point.Process == process && (isRequest(s.Point.Verb) || s.Point.Verb == engine.VerbCall) {
			lines = append(lines, fmt.Sprintf("  asked %s at %s: %s", deed(s.Point), FormatTime(s.At), s.Outcome))
		}
	}
	return lines[max(0, len(lines)-maxReads):]
}

// deed is a point without its process and number.
func deed(p engine.Point) string {
	process := p.Process
	return nameOf(unnumbered(p))[len(process)+len(": "):]
}

// deliveryLines are the deliveries from a step on that enqueued nothing, one
// line an object.
func deliveryLines(t *engine.Trace, process string, from int, until time.Duration) []string {
	enqueued := enqueuing(t, process)
	var groups []*deliveries
	byObject := map[engine.Ref]*deliveries{}
	for i := from; i < len(t.Steps) && t.Steps[i].At <= until; i++ {
		s := &t.Steps[i]
		if s.Point.Process != process || s.Point.Verb != engine.VerbDeliver || s.Point.Detail == engine.Bookmark || enqueued[i+1] {
			continue
		}
		ref := engine.Ref{Kind: s.Point.Kind, Name: s.Point.Object}
		if byObject[ref] == nil {
			byObject[ref] = &deliveries{first: s}
			groups = append(groups, byObject[ref])
		}
		byObject[ref].n++
	}
	var lines []string
	for i, g := range groups {
		if i == maxDeliveries {
			lines = append(lines, fmt.Sprintf("  and so did deliveries of %d more objects", len(groups)-maxDeliveries))
			break
		}
		lines = append(lines, g.line())
	}
	return lines
}

// deliveries of one object.
type deliveries struct {
	first *engine.Step
	n     int
}

func (d *deliveries) line() string {
	s := fmt.Sprintf("  later %s at %s enqueued nothing", deed(d.first.Point), FormatTime(d.first.At))
	if d.n > 1 {
		s += fmt.Sprintf(", nor did %d more of it", d.n-1)
	}
	return s
}

// enqueuing are the numbers of granted steps after which the process put
// something into a queue.
func enqueuing(t *engine.Trace, process string) map[int]bool {
	steps := map[int]bool{}
	for i := range t.Notes {
		n := &t.Notes[i]
		if n.Process != process {
			continue
		}
		switch n.Op {
		case engine.QueueAdd, engine.QueueAddAfter, engine.QueueRateLimited:
			steps[n.After] = true
		}
	}
	return steps
}

// oneLine keeps a log text within its line.
func oneLine(s string) string {
	letters := []rune(s)
	for i, r := range letters {
		if r < ' ' {
			letters[i] = ' '
		}
	}
	return strings.TrimSpace(string(letters))
}
