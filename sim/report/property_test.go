package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// anyText also has what a stack or a controller's message should not have:
// control characters, broken UTF-8, markup.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringOfN(rapid.RuneFrom([]rune("a <&>]]\x00\x1b\x7f\n\r\t\u0085\u202e\uFFFD\uFFFE")), 0, 40, -1),
		rapid.Custom(func(t *rapid.T) string {
			return string(rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "bytes"))
		}),
	)
}

func anyResult() *rapid.Generator[Result] {
	return rapid.Custom(func(t *rapid.T) Result {
		text := func(what string) string { return anyText().Draw(t, what) }
		r := Result{
			Scenario: text("scenario"), Path: text("path"), Controller: text("controller"), Variant: text("variant"),
			Verdict:    rapid.SampledFrom([]string{Pass, Fail}).Draw(t, "verdict"),
			Expected:   rapid.SampledFrom([]string{Pass, Fail}).Draw(t, "expected"),
			Unexpected: text("unexpected"), Detail: text("detail"), Replay: text("replay"),
			Hash:           rapid.Uint64().Draw(t, "hash"),
			VirtualSeconds: float64(rapid.IntRange(0, 1e9).Draw(t, "ms")) / 1000,
			Steps:          rapid.IntRange(0, 1e6).Draw(t, "steps"),
			Status:         rapid.SampledFrom([]string{"", Nondeterministic, Hung, Leak, Panic}).Draw(t, "status"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "checks") {
			r.Checks = append(r.Checks, Check{
				Name: text("check"), OK: rapid.Bool().Draw(t, "ok"), Message: text("message"),
				At: time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "at")), File: text("file"),
			})
		}
		return r
	})
}

func anyResults(t *rapid.T) []Result { return rapid.SliceOfN(anyResult(), 0, 4).Draw(t, "results") }

// parseXML reads a whole document and counts its elements.
func parseXML(text []byte) (map[string]int, error) {
	elements := map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements, nil
		}
		if err != nil {
			return nil, err
		}
		if start, ok := token.(xml.StartElement); ok {
			elements[start.Name.Local]++
		}
	}
}

func checkJUnit(t interface{ Fatalf(string, ...any) }, rs []Result) {
	var b bytes.Buffer
	if err := JUnit(&b, rs); err != nil {
		t.Fatalf("%v", err)
	}
	elements, err := parseXML(b.Bytes())
	if err != nil {
		t.Fatalf("the report does not parse: %v\n%s", err, b.Bytes())
	}
	faults := 0
	for _, r := range rs {
		if !r.AsExpected() {
			faults++
		}
	}
	if elements["testcase"] != len(rs) || elements["failure"]+elements["error"] != faults {
		t.Fatalf("expected %d cases and %d faults, found %v", len(rs), faults, elements)
	}
}

func TestJUnitAlwaysParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkJUnit(t, anyResults(t)) })
}

func FuzzJUnit(f *testing.F) {
	f.Add("name", "message")
	f.Add("\x00\x1b[31m", "]]>\xff\ufffe")
	f.Fuzz(func(t *testing.T, name, message string) {
		checkJUnit(t, []Result{{
			Scenario: name, Controller: name, Variant: name, Path: name, Verdict: Fail, Expected: Pass,
			Checks: []Check{{Name: name, Message: message, File: name}}, Unexpected: message, Detail: message, Replay: message,
		}})
	})
}

func TestJSONAlwaysParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := anyResults(t)
		for _, write := range []func(io.Writer, []Result) error{JSON, MatrixJSON} {
			var b bytes.Buffer
			if err := write(&b, rs); err != nil {
				t.Fatal(err)
			}
			if !json.Valid(b.Bytes()) {
				t.Fatalf("no JSON: %s", b.Bytes())
			}
		}
	})
}

// Whatever the texts are, tables have no control characters and no spaces at
// the ends of lines, and their last line is the summary.
func TestTextIsClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := anyResults(t)
		o := TableOptions{Width: rapid.IntRange(0, 120).Draw(t, "width"), Verbose: rapid.Bool().Draw(t, "verbose")}
		for _, write := range []func(io.Writer, []Result, TableOptions) error{Table, Matrix} {
			var b bytes.Buffer
			if err := write(&b, rs, o); err != nil {
				t.Fatal(err)
			}
			checkClean(t, b.String())
		}
	})
}

func checkClean(t *rapid.T, text string) {
	if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\x7f\r\t\u202e") {
		t.Fatalf("control characters in %q", text)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines {
		if strings.HasSuffix(line, " ") {
			t.Fatalf("a space ends the line %q", line)
		}
	}
	if last := lines[len(lines)-1]; !strings.HasSuffix(last, " unexpected") {
		t.Fatalf("the last line is no summary: %q", last)
	}
}

// Rows fit from 80 columns on, however long the names are.
func TestRowsFit(t *testing.T) {
	name := rapid.StringMatching(`[a-z-]{1,70}`)
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(80, 140).Draw(t, "width")
		var rs []Result
		for range rapid.IntRange(1, 6).Draw(t, "results") {
			rs = append(rs, Result{
				Scenario: name.Draw(t, "scenario"), Controller: "kvvm", Variant: name.Draw(t, "variant"),
				Verdict: Pass, Expected: Pass, VirtualSeconds: 86400.123, Steps: 123456,
			})
		}
		for _, write := range []func(io.Writer, []Result, TableOptions) error{Table, Matrix} {
			var b bytes.Buffer
			if err := write(&b, rs, TableOptions{Width: width}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(b.String(), "\n") {
				if n := utf8.RuneCountInString(line); n > width {
					t.Fatalf("%d columns in a line, the width is %d: %q", n, width, line)
				}
			}
		}
	})
}

func TestFit(t *testing.T) {
	for _, test := range []struct {
		name, text string
		width      int
		want       string
	}{
		{"nothing", "", 10, ""},
		{"no limit", "a line that is long\n", 0, "a line that is long\n"},
		{"short", "a\n\n  b\n", 10, "a\n\n  b\n"},
		{"the rest stands deeper", "  - one two three\n", 10, "  - one\n    two\n    three\n"},
		{"a command stays whole", "  vmreplay run file --variant none\n", 10, "  vmreplay run file --variant none\n"},
		{"a word stays whole", "see scenarios/vmim/live.yaml\n", 10, "see\n  scenarios/vmim/live.yaml\n"},
		{"not for a terminal to obey", "a\x1b[2J\n", 0, "a\\x1b[2J\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Fit(test.text, test.width); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
