package scenario

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// lineStarts are the offsets at which lines start, with YAML's line breaks.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if isBreak(r) && (r != '\r' || !bytes.HasPrefix(text[i:], []byte("\n"))) {
			starts = append(starts, i)
		}
	}
	return starts
}

func isBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// A cursor walks through the file's text of one scalar.
type cursor struct {
	text         []byte // the rest
	line, column int
	style        yaml.Style
}

// scalarCursor stands where the content of a scalar begins: behind its anchor
// and tag, its opening quote or the line of its block indicator.
func (d *document) scalarCursor(n *yaml.Node) *cursor {
	c := &cursor{line: max(1, n.Line), column: 1, style: n.Style}
	if c.line <= len(d.lines) {
		c.text = d.raw[d.lines[c.line-1]:]
	}
	for c.column < n.Column && len(c.text) > 0 {
		c.next()
	}
	for c.peek() == '&' || c.peek() == '!' {
		for len(c.text) > 0 && !unicode.IsSpace(c.peek()) {
			c.next()
		}
		for unicode.IsSpace(c.peek()) {
			c.next()
		}
	}
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		for len(c.text) > 0 && !isBreak(c.next()) {
		}
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		c.next()
	}
	return c
}

// peek is the next character, or 0 at the end.
func (c *cursor) peek() rune {
	if len(c.text) == 0 {
		return 0
	}
	r, _ := utf8.DecodeRune(c.text)
	return r
}

func (c *cursor) next() rune {
	if len(c.text) == 0 {
		return 0
	}
	r, size := utf8.DecodeRune(c.text)
	c.text = c.text[size:]
	c.column++
	if isBreak(r) && (r != '\r' || c.peek() != '\n') {
		c.line, c.column = c.line+1, 1
	}
	return r
}

// visible goes behind the next character that is no white space, and returns
// where that one stands.
func (c *cursor) visible() (line, column int) {
	for len(c.text) > 0 {
		line, column = c.line, c.column
		r := c.next()
		switch {
		case r == '\\' && c.style&yaml.DoubleQuotedStyle != 0:
			r = c.escaped()
		case r == '\'' && c.style&yaml.SingleQuotedStyle != 0:
			c.next() // a quote is written twice
		}
		if !unicode.IsSpace(r) {
			return line, column
		}
	}
	return c.line, c.column
}

// escaped reads the rest of an escape of a double-quoted scalar.
func (c *cursor) escaped() rune {
	r := c.next()
	digits := map[rune]int{'x': 2, 'u': 4, 'U': 8}[r]
	if digits == 0 {
		if bytes.ContainsRune([]byte("nrtvfNLP_"), r) {
			return ' '
		}
		return r
	}
	var hex []rune
	for range digits {
		hex = append(hex, c.next())
	}
	code, _ := strconv.ParseUint(string(hex), 16, 32)
	return rune(code)
}
