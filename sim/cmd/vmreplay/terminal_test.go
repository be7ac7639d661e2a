package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestCaret(t *testing.T) {
	tests := []struct {
		name         string
		text         string
		line, column int
		want         string
	}{
		{"the first letter", "kind: Pot\n", 1, 1, "    1 | kind: Pot\n      | ^\n"},
		{"a later line", "a\nkind: Pot", 2, 7, "    2 | kind: Pot\n      |       ^\n"},
		{"behind the end", "ab", 1, 3, "    1 | ab\n      |   ^\n"},
		{"letters, not bytes", "ä: ö", 1, 4, "    1 | ä: ö\n      |    ^\n"},
		{"a tab is one column", "\ta", 1, 2, "    1 |  a\n      |  ^\n"},
		{"no such line", "a", 3, 1, ""},
		{"no such column", "a", 1, 9, ""},
		{"a line that is too long", strings.Repeat("x", 500), 1, 1, ""},
		{"no text", "\xff\xfe", 1, 1, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, caret([]byte(test.text), test.line, test.column)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProgressFits(t *testing.T) {
	for _, width := range []int{0, 1, 10, 20, 40, 80, 300} {
		for _, done := range []int{0, 1, 50, 100} {
			p := &progress{done: done, total: 100}
			line := p.line(width)
			if n := utf8.RuneCountInString(line); n >= width && width >= 10 {
				t.Errorf("%d columns on a terminal of %d: %q", n, width, line)
			}
		}
	}
	p := &progress{done: 5, total: 10}
	if got, want := p.line(20), "[======      ] 5/10"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestListenLocal(t *testing.T) {
	tests := []struct {
		name, address string
		ok            bool
	}{
		{"IPv4", "127.0.0.1:0", true},
		{"by name", "localhost:0", true},
		{"all addresses", ":0", false},
		{"everywhere", "0.0.0.0:0", false},
		{"another machine", "192.0.2.1:0", false},
		{"no port", "127.0.0.1", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, err := listenLocal(test.address)
			if (err == nil) != test.ok {
				t.Errorf("the error is %v", err)
			}
			if l != nil {
				l.Close()
			}
		})
	}
}

// A skeleton of every type of controller is a scenario that runs as it says.
func TestSkeletonsRun(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, controller := range types() {
		if code, _, err := call(t, "new", "scenario", "a-"+controller, "--controller", controller); code != exitOK {
			t.Fatal(err)
		}
		if code, out, err := call(t, "run", "a-"+controller+".yaml"); code != exitOK {
			t.Errorf("%s: exit code %d\n%s%s", controller, code, out, err)
		}
	}
}
