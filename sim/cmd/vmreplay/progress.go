package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// A progress bar tells on a terminal how far long work is. Elsewhere it is not
// there: nothing of it reaches a log.
type progress struct {
	mu    sync.Mutex
	out   *os.File // nil for no bar
	done  int
	total int
}

// progress begins a bar for so many pieces of work.
func (a *app) progress(total int) *progress {
	p := &progress{total: total}
	if f := terminal(a.err); f != nil && !a.quiet && total > 1 {
		p.out = f
	}
	return p
}

// terminal is the terminal that a writer is, or nil.
func terminal(w io.Writer) *os.File {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return f
}

// add counts one piece that is done.
func (p *progress) add() {
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	fmt.Fprintf(p.out, "\r%s", p.line(width(p.out)))
}

// line is as wide as fits, and never as wide as the terminal: some begin a new
// line then.
func (p *progress) line(width int) string {
	count := fmt.Sprintf(" %d/%d", p.done, p.total)
	room := min(40, width-len(count)-3)
	if room < 4 {
		return count[1:]
	}
	full := room * p.done / max(1, p.total)
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", room-full) + "]" + count
}

// end takes the bar away.
func (p *progress) end() {
	if p.out != nil && p.done > 0 {
		fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", min(width(p.out)-1, 80)))
	}
}

func width(f *os.File) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return 80
}
