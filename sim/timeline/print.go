package timeline

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/report"
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
	// Width is how many columns there are; 0 means no limit. Where the table does
	// not fit, each line of it is a paragraph.
	Width int
}

// Print writes the run: time since its start, who, what, which object, and how
// it ended. A delivery says which cache saw which resourceVersion and how long
// after the server had it.
func Print(w io.Writer, t *engine.Trace, o Options) error {
	p := printer{w: bufio.NewWriter(w), options: o}
	p.measure(t)
	if !o.Points && !p.narrow {
		p.line("TIME", "ACTOR", "ACTION", "OBJECT", "RESULT")
	}
	note := 0
	for i := range t.Steps {
		note = p.notes(t.Notes, note, i)
		p.step(&t.Steps[i])
	}
	p.notes(t.Notes, note, len(t.Steps))
	p.paragraph(0, fmt.Sprintf("the run ended at %s after %d steps, hash %016x", Time(t.End), len(t.Steps), t.Hash))
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
	narrow  bool // the table does not fit
}

// measure finds the columns' widths, and whether they fit.
func (p *printer) measure(t *engine.Trace) {
	result := 0
	p.widths = [4]int{len(Time(t.End)), len("ACTOR"), len("ACTION"), len("OBJECT")}
	for i := range t.Steps {
		for c, s := range columns(&t.Steps[i]) {
			if c < len(p.widths) {
				p.widths[c] = max(p.widths[c], utf8.RuneCountInString(s))
			} else {
				result = max(result, utf8.RuneCountInString(s))
			}
		}
	}
	total := result
	for _, w := range p.widths {
		total += w + len("  ")
	}
	p.narrow = p.options.Width > 0 && total > p.options.Width
}

// paragraph writes a text as far to the right as indent, and its further lines
// further in, as wide as there is room.
func (p *printer) paragraph(indent int, text string) {
	width := 0
	if p.options.Width > 0 {
		width = max(p.options.Width-indent-2, leastWidth)
	}
	for i, line := range report.Wrap(text, width) {
		if i == 1 {
			indent += 2
		}
		fmt.Fprintf(p.w, "%*s%s\n", indent, "", line)
	}
}

// leastWidth is what a paragraph takes on the narrowest terminal.
const leastWidth = 20

func (p *printer) line(columns ...string) {
	var b strings.Builder
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
		fmt.Fprintf(p.w, "%*s  %s\n", p.widths[0], Time(s.At), report.Printable(s.Point.String()))
		return
	}
	c := columns(s)
	if p.narrow {
		p.paragraph(0, strings.Join(strings.Fields(strings.Join(c[:4], " ")), " ")+": "+c[4])
	} else {
		p.line(c[:]...)
	}
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
	text = report.Printable(text)
	if p.narrow {
		p.paragraph(4, text)
		return
	}
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
	all := [5]string{Time(s.At), pt.Process, action, object, result}
	for i, text := range all {
		all[i] = strings.Join(strings.Fields(report.Printable(text)), " ")
	}
	return all
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
