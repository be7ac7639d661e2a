package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable replaces what a terminal would obey, what changes the order in which a
// text is read, and what XML cannot hold, by an escape that can be read. Line
// breaks and tabs stay.
func Printable(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r == 0xFFFE || r == 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// oneLine is printable text without line breaks, for a cell or an attribute.
func oneLine(s string) string {
	return strings.Join(strings.Fields(Printable(s)), " ")
}

// shorten cuts the middle out of a text that is wider than the given number of
// columns: names differ at their ends.
func shorten(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	if width < 3 {
		return string(runes[:max(width, 0)])
	}
	tail := (width - 1) / 2
	head := width - 1 - tail
	return string(runes[:head]) + "…" + string(runes[len(runes)-tail:])
}

// Wrap makes a text printable and breaks it into lines of at most width columns,
// at spaces; a width of 0 means no limit. A word that is longer stays whole, so that
// paths and commands can be copied. Lines that the text has itself are kept, and
// their indentation.
func Wrap(s string, width int) []string {
	var all []string
	for line := range strings.SplitSeq(strings.TrimRight(Printable(s), "\n\t "), "\n") {
		line = strings.TrimRight(strings.ReplaceAll(line, "\t", "  "), " ")
		all = append(all, wrapLine(line, width, "")...)
	}
	return all
}

// Fit is a whole text as Wrap breaks it, for tables and lists: what is left of a
// line stands deeper than its beginning, and a command of this program stays in one
// piece, so that it can be copied.
func Fit(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(Printable(text)) {
		line = strings.TrimRight(line, "\n")
		limit := width
		if strings.HasPrefix(strings.TrimLeft(line, " "), "vmreplay ") {
			limit = 0
		}
		for _, part := range wrapLine(line, limit, "  ") {
			b.WriteString(part + "\n")
		}
	}
	return b.String()
}

// wrapLine lets the lines after the first stand deeper by hanging.
func wrapLine(line string, width int, hanging string) []string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return []string{line}
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var all []string
	current := indent
	for _, word := range strings.Fields(line) {
		switch {
		case current == indent:
			current += word
		case utf8.RuneCountInString(current)+1+utf8.RuneCountInString(word) <= width:
			current += " " + word
		default:
			all = append(all, current)
			current = indent + hanging + word
		}
	}
	return append(all, current)
}
