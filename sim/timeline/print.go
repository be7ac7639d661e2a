package timeline

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// Options choose what is printed.
type Options struct {
	// Notes adds what the processes say of themselves: queues and logs.
	Notes bool
	// Fields adds what each write changed.
	Fields bool
	// Points prints the names of decisions instead of columns: what a scenario's
	// schedule refers to.
	Points bool
}

// Print writes the run: time since its start, who, what, which object, and how
// it ended. A delivery says which cache saw which resourceVersion and how long
// after the server had it.
func Print(w io.Writer, t *engine.Trace, o Options) error {
	p := printer{w: bufio.NewWriter(w), options: o}
	p.measure(t)
	if !o.Points {
		p.line(0, "TIME", "ACTOR", "ACTION", "OBJECT", "RESULT")
	}
	note := 0
	for i := range t.Steps {
		note = p.notes(t.Notes, note, i)
		p.step(&t.Steps[i])
	}
	p.notes(t.Notes, note, len(t.Steps))
	fmt.Fprintf(p.w, "the run ended at %s after %d steps, hash %016x\n", Time(t.End), len(t.Steps), t.Hash)
	return p.w.Flush()
}

// Time is a virtual time with all its digits: goldens must not round.
func Time(d time.Duration) string {
	s := fmt.Sprintf("%d.%06d", d/time.Second, d%time.Second/time.Microsecond)
	return s + "s"
}

type printer struct {
	w       *bufio.Writer
	options Options
	widths  [4]int
}

// measure finds the columns' widths.
func (p *printer) measure(t *engine.Trace) {
	p.widths = [4]int{len(Time(t.End)), len("ACTOR"), len("ACTION"), len("OBJECT")}
	for i := range t.Steps {
		for c, s := range columns(&t.Steps[i]) {
			if c < len(p.widths) {
				p.widths[c] = max(p.widths[c], len(s))
			}
		}
	}
}

func (p *printer) line(indent int, columns ...string) {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", indent))
	for i, c := range columns {
		if i < len(p.widths) {
			c = fmt.Sprintf("%-*s  ", p.widths[i], c)
		}
		b.WriteString(c)
	}
	fmt.Fprintln(p.w, strings.TrimRight(b.String(), " "))
}

func (p *printer) step(s *engine.Step) {
	if p.options.Points {
		fmt.Fprintf(p.w, "%*s  %s\n", p.widths[0], Time(s.At), s.Point)
		return
	}
	c := columns(s)
	p.line(0, c[:]...)
	if !p.options.Fields {
		return
	}
	for _, change := range s.Changes {
		for _, f := range Fields(change) {
			p.detail(f)
		}
	}
}

// detail writes a line below a step, in the column of the action.
func (p *printer) detail(text string) {
	fmt.Fprintf(p.w, "%*s%s\n", p.widths[0]+p.widths[1]+6, "", text)
}

// columns are time, actor, action, object and result of a step.
func columns(s *engine.Step) [5]string {
	pt := s.Point
	object := strings.TrimSpace(pt.Kind + " " + pt.Object)
	action, result := pt.Verb, s.Outcome
	if pt.Verb == engine.VerbDeliver {
		action = "sees " + pt.Detail
		result = fmt.Sprintf("%s after the server", s.At-s.Raised)
	} else if pt.Detail != "" {
		action += " " + pt.Detail
	}
	if s.Version != 0 {
		result = fmt.Sprintf("rv %d, %s", s.Version, result)
	}
	return [5]string{Time(s.At), pt.Process, action, object, result}
}

// notes writes the notes that came before step i and returns the next one's index.
func (p *printer) notes(notes []engine.Note, from, i int) int {
	for ; from < len(notes) && notes[from].After <= i; from++ {
		if n := &notes[from]; p.options.Notes {
			p.detail(noteText(n))
		}
	}
	return from
}

func noteText(n *engine.Note) string {
	text := strings.Join(strings.Fields(n.Text), " ")
	switch n.Source {
	case engine.SourceLog:
		return fmt.Sprintf("%s logs %s: %s", n.Process, n.Op, text)
	case engine.SourceProcess:
		return fmt.Sprintf("%s: %s %s", n.Process, n.Op, text)
	}
	return strings.TrimSpace(fmt.Sprintf("%s queue %s: %s %s %s", n.Process, n.Source, n.Op, n.Key, text))
}
