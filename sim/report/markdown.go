package report

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes a summary for a job's page: what went otherwise than written
// down first, with the command that repeats it, then the matrix.
func Markdown(w io.Writer, rs []Result) error {
	var b strings.Builder
	others := 0
	for _, r := range rs {
		if !r.AsExpected() {
			others++
		}
	}
	b.WriteString("## vmreplay\n\n")
	fmt.Fprintf(&b, "%d %s: %d as expected, **%d unexpected**\n", len(rs), plural(len(rs), "run"), len(rs)-others, others)
	for _, r := range rs {
		if !r.AsExpected() {
			markdownDetails(&b, r)
		}
	}
	blocks, _ := newMatrix(rs)
	for _, block := range blocks {
		block.markdown(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func markdownDetails(b *strings.Builder, r Result) {
	fmt.Fprintf(b, "\n### %s, variant %s: %s\n\n", markdownText(r.Scenario), markdownText(r.Variant), markdownText(outcome(r)))
	if text := Printable(strings.Join(append(explanations(r), scheduleText(r)...), "\n")); text != "" {
		fence(b, text)
	}
	if r.Replay != "" {
		b.WriteString("\nTo repeat it:\n\n")
		fence(b, oneLine(r.Replay))
	}
}

// fence writes a block of code that ends where it should: its fence is longer
// than any in the text.
func fence(b *strings.Builder, text string) {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	fmt.Fprintf(b, "%s text\n%s\n%s\n", marks, strings.TrimRight(text, "\n"), marks)
}

func (m *matrixBlock) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n| %s |", markdownText(m.controller))
	for _, v := range m.variants {
		fmt.Fprintf(b, " %s |", markdownText(v))
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(m.variants)) + "\n")
	for _, row := range m.rows {
		fmt.Fprintf(b, "| %s |", markdownText(row.scenario))
		for _, v := range m.variants {
			fmt.Fprintf(b, " %s |", row.markdownCell(v))
		}
		b.WriteByte('\n')
	}
}

func (row *matrixRow) markdownCell(variant string) string {
	c, ran := row.cells[variant]
	switch {
	case !ran:
		return "–"
	case c.unexpected:
		return "**" + c.String() + "!**"
	}
	return c.String()
}

// markdownText is a text that stays one: what Markdown or HTML would take for a
// sign of theirs is escaped.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*_{}[]()#+!|~>@", r):
			b.WriteRune('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
