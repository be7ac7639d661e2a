package report

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"unicode/utf8"
)

// A matrixBlock is the part of the matrix that concerns one controller: its
// variants are the columns, so those of another controller are none of its own.
type matrixBlock struct {
	controller string
	variants   []string
	rows       []*matrixRow
}

type matrixRow struct {
	scenario string
	variants []string // in the order of the results
	cells    map[string]matrixCell
}

type matrixCell struct {
	red, unexpected bool
	value           string // instead of the colour
}

func (c matrixCell) String() string {
	if c.value != "" {
		return c.value
	}
	if c.red {
		return "red"
	}
	return "green"
}

// rowKey tells rows apart: two files may have scenarios of the same name.
type rowKey struct{ controller, scenario, path string }

func keyOf(r Result) rowKey { return rowKey{r.Controller, r.Scenario, r.Path} }

// newMatrix gives the blocks and all rows, each in the order of the results.
func newMatrix(rs []Result) ([]*matrixBlock, []*matrixRow) {
	var blocks []*matrixBlock
	var rows []*matrixRow
	blockOf := map[string]*matrixBlock{}
	rowOf := map[rowKey]*matrixRow{}
	for _, r := range rs {
		b := blockOf[r.Controller]
		if b == nil {
			b = &matrixBlock{controller: r.Controller}
			blockOf[r.Controller] = b
			blocks = append(blocks, b)
		}
		key := keyOf(r)
		row := rowOf[key]
		if row == nil {
			row = &matrixRow{scenario: r.Scenario, cells: map[string]matrixCell{}}
			rowOf[key] = row
			rows = append(rows, row)
			b.rows = append(b.rows, row)
		}
		row.add(r)
		b.addVariant(r.Variant)
	}
	return blocks, rows
}

// add counts a run: a cell is green only if all its runs are.
func (row *matrixRow) add(r Result) {
	c, known := row.cells[r.Variant]
	if !known {
		row.variants = append(row.variants, r.Variant)
	}
	c.red = c.red || !r.Green()
	c.unexpected = c.unexpected || !r.AsExpected()
	c.value = oneLine(r.Value)
	row.cells[r.Variant] = c
}

func (b *matrixBlock) addVariant(name string) {
	for _, known := range b.variants {
		if known == name {
			return
		}
	}
	b.variants = append(b.variants, name)
}

// Matrix writes a row for each scenario and a column for each variant: green if
// everything held, red if not, "!" behind a cell that is written down otherwise.
// Each controller has its own block; a block that is too wide is continued below.
// A quiet one has the rows with such a cell only.
func Matrix(w io.Writer, rs []Result, o TableOptions) error {
	p := &printer{options: o}
	shown := rs
	if o.Quiet {
		shown = withSurprise(rs)
	}
	blocks, _ := newMatrix(shown)
	for _, b := range blocks {
		for _, variants := range b.chunks(o.Width) {
			p.grid(b.grid(variants), o)
			p.line("")
		}
	}
	if !allAsExpected(rs) {
		p.line("! differs from the verdict that is written down")
	}
	p.summary(rs)
	return p.flush(w)
}

// withSurprise are the results of the rows in which some cell is not as expected.
func withSurprise(rs []Result) []Result {
	surprised := map[rowKey]bool{}
	for _, r := range rs {
		if !r.AsExpected() {
			surprised[keyOf(r)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(rs), func(r Result) bool { return !surprised[keyOf(r)] })
}

// chunks divides the variants into groups that fit beside the scenarios' names.
func (b *matrixBlock) chunks(width int) [][]string {
	names := utf8.RuneCountInString(oneLine(b.controller))
	for _, row := range b.rows {
		names = max(names, utf8.RuneCountInString(oneLine(row.scenario)))
	}
	names = min(names, max(width/2, leastColumn))
	var all [][]string
	used := 0
	for _, v := range b.variants {
		wide := max(utf8.RuneCountInString(oneLine(v)), len("green!")) + gap
		if len(all) == 0 || width > 0 && used+wide > width {
			all = append(all, nil)
			used = names
		}
		all[len(all)-1] = append(all[len(all)-1], v)
		used += wide
	}
	return all
}

func (b *matrixBlock) grid(variants []string) *grid {
	g := &grid{}
	top := headings(oneLine(b.controller))
	for _, v := range variants {
		top = append(top, cell{oneLine(v), heading})
	}
	g.add(top...)
	for _, row := range b.rows {
		line := []cell{{text: oneLine(row.scenario)}}
		for _, v := range variants {
			line = append(line, row.cell(v))
		}
		g.add(line...)
	}
	return g
}

func (row *matrixRow) cell(variant string) cell {
	c, ran := row.cells[variant]
	switch {
	case !ran:
		return cell{text: "-"}
	case c.unexpected:
		return cell{c.String() + "!", alarm}
	case c.red:
		return cell{c.String(), bad}
	}
	return cell{c.String(), good}
}

// MatrixJSON writes the same as JSON; the cells stand in the order of the
// variants.
func MatrixJSON(w io.Writer, rs []Result) error {
	type jsonRow struct {
		Scenario string     `json:"scenario"`
		Cells    *matrixRow `json:"cells"`
	}
	_, rows := newMatrix(rs)
	report := struct {
		OK   bool      `json:"ok"`
		Rows []jsonRow `json:"rows"`
	}{allAsExpected(rs), make([]jsonRow, len(rows))}
	for i, row := range rows {
		report.Rows[i] = jsonRow{row.scenario, row}
	}
	return writeJSON(w, report)
}

// MarshalJSON writes the cells as an object whose keys keep their order.
func (row *matrixRow) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, v := range row.variants {
		key, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(key)
		text, err := json.Marshal(row.cells[v].String())
		if err != nil {
			return nil, err
		}
		b.WriteByte(':')
		b.Write(text)
	}
	return append(append([]byte{'{'}, b.Bytes()...), '}'), nil
}
