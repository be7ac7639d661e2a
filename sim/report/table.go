package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TableOptions say how a table or matrix looks.
type TableOptions struct {
	Width   int  // columns of the terminal; 0 means no limit
	Colour  bool // ANSI colours
	Verbose bool // show the messages of expected failures too
	Quiet   bool // only rows that went otherwise than written down
}

// leastColumn is how far a column of names is cut on a narrow terminal, and
// leastOfAll how far on one where not even columns can be left out.
const (
	leastColumn = 12
	leastOfAll  = 6
)

// unexpected is the word to look for in a long log.
const unexpected = "UNEXPECTED"

// Table writes a line for each result, then in full what went otherwise than
// written down, then a summary.
func Table(w io.Writer, rs []Result, o TableOptions) error {
	p := &printer{options: o}
	rows := rs
	if o.Quiet {
		rows = slices.DeleteFunc(slices.Clone(rs), Result.AsExpected)
	}
	p.grid(resultGrid(rows), o)
	p.explain(rs, o)
	if len(rows) > 0 {
		p.line("")
	}
	p.summary(rs)
	return p.flush(w)
}

func resultGrid(rs []Result) *grid {
	g := &grid{right: []bool{false, false, false, false, true, true}, dispensable: 2}
	if len(rs) > 0 {
		g.add(headings("SCENARIO", "VARIANT", "VERDICT", "OUTCOME", "VIRTUAL", "STEPS")...)
	}
	for _, r := range rs {
		g.add(
			cell{text: oneLine(r.Scenario)},
			cell{text: oneLine(r.Variant)},
			verdictCell(r),
			outcomeCell(r),
			cell{text: virtual(r.VirtualSeconds)},
			cell{text: strconv.Itoa(r.Steps)},
		)
	}
	return g
}

func headings(texts ...string) []cell {
	all := make([]cell, len(texts))
	for i, text := range texts {
		all[i] = cell{text, heading}
	}
	return all
}

func verdictCell(r Result) cell {
	switch {
	case r.Status == Nondeterministic || r.Status == Hung:
		return cell{r.Status, alarm}
	case r.Verdict == Pass:
		return cell{r.Verdict, good}
	}
	return cell{oneLine(r.Verdict), bad}
}

func outcomeCell(r Result) cell {
	if r.AsExpected() {
		return cell{text: "expected"}
	}
	return cell{unexpected, alarm}
}

// virtual is a time to the millisecond, like 1m1.002s.
func virtual(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond).String()
}

// A printer gathers lines; nothing is written before all are there.
type printer struct {
	options TableOptions
	b       strings.Builder
}

func (p *printer) line(text string) {
	p.b.WriteString(text)
	p.b.WriteByte('\n')
}

func (p *printer) grid(g *grid, o TableOptions) {
	g.fit(o.Width, leastColumn, 0, 1)
	g.drop(o.Width)
	g.fit(o.Width, leastOfAll, 0, 1)
	for _, line := range g.lines(o.Colour) {
		p.line(line)
	}
}

// block writes a text below an indentation, wrapped; further lines stand
// further in.
func (p *printer) block(indent int, text string) {
	width := 0
	if p.options.Width > 0 {
		width = max(p.options.Width-indent-2, leastColumn)
	}
	for i, line := range Wrap(text, width) {
		if i == 1 {
			indent += 2
		}
		if line != "" {
			line = strings.Repeat(" ", indent) + line
		}
		if rest, ok := strings.CutPrefix(line, unexpected); ok {
			line = alarm.paint(unexpected, p.options.Colour) + rest
		}
		p.line(line)
	}
}

func (p *printer) summary(rs []Result) {
	others := 0
	for _, r := range rs {
		if !r.AsExpected() {
			others++
		}
	}
	s := good
	if others > 0 {
		s = alarm
	}
	runs := "runs"
	if len(rs) == 1 {
		runs = "run"
	}
	text := fmt.Sprintf("%d %s: %d as expected, %d unexpected", len(rs), runs, len(rs)-others, others)
	p.line(s.paint(text, p.options.Colour))
}

func (p *printer) flush(w io.Writer) error {
	_, err := io.WriteString(w, p.b.String())
	return err
}
