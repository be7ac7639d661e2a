package lockstep

import (
	"bytes"
	"strings"
	"sync"
)

// How much of a child's output is kept: a dump of all goroutines is long, and
// what it says first matters most.
const (
	keptOutput = 256 << 10
	shownLines = 60
)

// A tail keeps the end of what a child wrote.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - keptOutput; over > keptOutput {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

// lastWords are the lines from the one on with which the runtime or package
// testing begins to say why a program ends; without such a line, the last ones.
func (t *tail) lastWords() string {
	t.mu.Lock()
	text := string(bytes.TrimSpace(t.buf))
	t.mu.Unlock()
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if isLastWord(l) {
			return strings.Join(lines[i:min(len(lines), i+shownLines)], "\n")
		}
	}
	return strings.Join(lines[max(0, len(lines)-shownLines):], "\n")
}

func isLastWord(line string) bool {
	for _, start := range []string{"panic: ", "fatal error: ", "runtime: ", "SIGQUIT: ", "--- FAIL: ", "testing: "} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}
