package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// maxCaretLine is the longest line of a file that is shown below a problem.
const maxCaretLine = 200

// fail tells what is wrong: one line a problem. On a terminal the line of the
// file stands below it, with a caret under the place.
func (a *app) fail(err error) {
	var problems scenario.Errors
	if !errors.As(err, &problems) {
		fmt.Fprintln(a.err, report.Printable(err.Error()))
		return
	}
	for _, p := range problems {
		fmt.Fprintln(a.err, onOneLine(p.Error()))
		if terminal(a.err) == nil {
			continue
		}
		if text, err := os.ReadFile(p.Pos.File); err == nil {
			fmt.Fprint(a.err, caret(text, p.Pos.Line, p.Pos.Column))
		}
	}
}

// onOneLine is a text with what a terminal would obey made visible, line breaks too:
// a path may have any.
func onOneLine(text string) string {
	return strings.ReplaceAll(report.Printable(text), "\n", `\x0a`)
}

// caret is a line of a text and a line with a caret below one of its columns;
// nothing if there is no such place. Columns count letters.
func caret(text []byte, line, column int) string {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		if n < line {
			continue
		}
		source := strings.ReplaceAll(strings.TrimRight(lines.Text(), "\r"), "\t", " ")
		letters := utf8.RuneCountInString(source)
		if source != report.Printable(source) || letters > maxCaretLine || column < 1 || column > letters+1 {
			return ""
		}
		number := fmt.Sprintf("%5d | ", line)
		return number + source + "\n" + strings.Repeat(" ", len(number)-2) + "| " + strings.Repeat(" ", column-1) + "^\n"
	}
	return ""
}
