package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A failure that a search found says what was perturbed, wherever it is told.
func TestTheScheduleIsTold(t *testing.T) {
	const entry = "kube-ovn-controller: deliver Pod default/target ADDED #1: delayed by 1s"
	rs := []Result{{Scenario: "s", Variant: "v", Verdict: Fail, Expected: Pass, Schedule: []string{entry}, Path: "s.yaml", Replay: "vmreplay run s.yaml"}}
	cases := []struct {
		name  string
		write func(io.Writer, []Result) error
		want  string
	}{
		{"table", func(w io.Writer, rs []Result) error { return Table(w, rs, TableOptions{}) }, "perturbed:\n    " + entry},
		{"JUnit", JUnit, "perturbed:\n" + entry + "\nvmreplay run s.yaml"},
		{"Markdown", Markdown, "perturbed:\n" + entry},
		{"GitHub", Annotations, "perturbed:%0A" + entry + "%0Avmreplay run s.yaml"},
		{"JSON", JSON, `"` + entry + `"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := c.write(&b, rs); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), c.want) {
				t.Errorf("expected %q in:\n%s", c.want, b.String())
			}
		})
	}
}

func TestMarkdownText(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"plain", "target-pod-not-created", "target-pod-not-created"},
		{"a cell's border", "a|b", `a\|b`},
		{"HTML", "<img src=x>&", `&lt;img src=x\>&amp;`},
		{"a link", "[a](b)", `\[a\]\(b\)`},
		{"a mention", "@somebody", `\@somebody`},
		{"lines", "a\nb", "a b"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, markdownText(c.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A text cannot end the block of code that it stands in.
func TestFence(t *testing.T) {
	var b strings.Builder
	fence(&b, "a\n```\nb\n````")
	want := "````` text\na\n```\nb\n````\n`````\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A text cannot end the command, nor begin another.
func TestAnnotationsAreOneLineEach(t *testing.T) {
	rs := []Result{{
		Scenario: "s,line=9", Variant: "v::", Path: "a,b:c%.yaml", Verdict: Fail, Expected: Pass,
		Unexpected: "one\n::error::two\r\n%0A",
	}}
	var b bytes.Buffer
	if err := Annotations(&b, rs); err != nil {
		t.Fatal(err)
	}
	want := `::error file=a%2Cb%3Ac%25.yaml,line=1,col=1,title=s%2Cline=9%2C variant v%3A%3A%3A fail%2C expected pass::one%0A::error::two\x0d%0A%250A` + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
