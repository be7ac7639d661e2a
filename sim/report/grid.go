package report

import (
	"strings"
	"unicode/utf8"
)

// gap is how many spaces stand between two columns.
const gap = 2

// A style is the parameter of an ANSI colour sequence, or empty.
type style string

const (
	plain   style = ""
	good    style = "32"
	bad     style = "31"
	alarm   style = "1;31"
	heading style = "1"
)

func (s style) paint(text string, colour bool) string {
	if s == plain || !colour || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// A cell of a grid, on one line.
type cell struct {
	text  string
	style style
}

// A grid is rows of cells in aligned columns.
type grid struct {
	rows  [][]cell
	right []bool // which columns are aligned to the right
	// How many of the last columns may be left out where there is no room.
	dispensable int
}

func (g *grid) add(row ...cell) { g.rows = append(g.rows, row) }

func (g *grid) widths() []int {
	var all []int
	for _, row := range g.rows {
		for i, c := range row {
			if i == len(all) {
				all = append(all, 0)
			}
			all[i] = max(all[i], utf8.RuneCountInString(c.text))
		}
	}
	return all
}

// fit makes the given columns narrower, in this order and down to least, until
// a row takes at most width columns. A width of 0 means no limit.
func (g *grid) fit(width, least int, columns ...int) {
	widths := g.widths()
	over := g.over(width)
	for _, column := range columns {
		if width <= 0 || over <= 0 || column >= len(widths) || widths[column] <= least {
			continue
		}
		narrow := max(widths[column]-over, least)
		over -= widths[column] - narrow
		for _, row := range g.rows {
			row[column].text = shorten(row[column].text, narrow)
		}
	}
}

// over is by how much a row is wider than so many columns.
func (g *grid) over(width int) int {
	over := -width - gap
	for _, w := range g.widths() {
		over += w + gap
	}
	return over
}

// drop leaves out the last columns, as many as may be and must.
func (g *grid) drop(width int) {
	for ; width > 0 && g.dispensable > 0 && g.over(width) > 0; g.dispensable-- {
		for i, row := range g.rows {
			g.rows[i] = row[:len(row)-1]
		}
	}
}

// lines are the rows as text, without spaces at their ends.
func (g *grid) lines(colour bool) []string {
	widths := g.widths()
	all := make([]string, 0, len(g.rows))
	for _, row := range g.rows {
		var b strings.Builder
		pending := 0 // spaces that are written only if something follows
		for i, c := range row {
			before, after := 0, widths[i]-utf8.RuneCountInString(c.text)
			if i < len(g.right) && g.right[i] {
				before, after = after, 0
			}
			pending += before
			if c.text != "" {
				b.WriteString(strings.Repeat(" ", pending))
				b.WriteString(c.style.paint(c.text, colour))
				pending = 0
			}
			pending += after + gap
		}
		all = append(all, b.String())
	}
	return all
}
