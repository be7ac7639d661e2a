package report

import (
	"fmt"
	"io"
	"strings"
)

// Explain writes all about the results that are not as expected, and about all
// failures if o is verbose: each with the command that repeats it.
func Explain(w io.Writer, rs []Result, o TableOptions) error {
	p := &printer{options: o}
	p.explain(rs, o)
	return p.flush(w)
}

func (p *printer) explain(rs []Result, o TableOptions) {
	for _, r := range rs {
		if !r.AsExpected() || o.Verbose && !r.Green() {
			p.line("")
			p.details(r)
		}
	}
}

// details writes all about one result; the last line repeats it.
func (p *printer) details(r Result) {
	title := fmt.Sprintf("%s, variant %s: %s", oneLine(r.Scenario), oneLine(r.Variant), outcome(r))
	if !r.AsExpected() {
		title = unexpected + " " + title
	}
	p.block(0, title)
	for _, text := range explanations(r) {
		p.block(2, text)
	}
	for _, text := range scheduleText(r) {
		p.block(2, text)
	}
	if replay := oneLine(r.Replay); replay != "" {
		p.line("  " + replay)
	}
}

// outcome is "fail, expected pass", or the state that left no verdict.
func outcome(r Result) string {
	got := oneLine(r.Verdict)
	switch {
	case r.Status == Nondeterministic || r.Status == Hung:
		return r.Status + ", expected " + oneLine(r.Expected)
	case r.Status != "":
		got += " (" + oneLine(r.Status) + ")"
	}
	switch {
	case r.Verdict != r.Expected:
		return got + ", expected " + oneLine(r.Expected)
	case r.Unexpected != "":
		return got + ", but not as expected"
	}
	return got + " as expected"
}

// explanations are texts in the order in which they help: why the verdict
// differs, which checks failed, what else was seen.
func explanations(r Result) []string {
	var all []string
	if r.Unexpected != "" {
		all = append(all, r.Unexpected)
	}
	for _, c := range r.Checks {
		if !c.OK {
			all = append(all, c.text())
		}
	}
	if strings.TrimSpace(r.Detail) != "" {
		all = append(all, r.Detail)
	}
	return all
}

// scheduleText lists what was perturbed, for a reader.
func scheduleText(r Result) []string {
	if len(r.Schedule) == 0 {
		return nil
	}
	return []string{"perturbed:\n" + strings.Join(r.Schedule, "\n")}
}

// text is "file:line:column: name: message (at 1m1s)"; the time ends the first
// line of the message.
func (c Check) text() string {
	first, rest, _ := strings.Cut(c.Message, "\n")
	text := fmt.Sprintf("%s: %s (at %s)", oneLine(c.Name), first, c.At)
	if c.File != "" {
		text = fmt.Sprintf("%s:%d:%d: %s", oneLine(c.File), c.Line, c.Column, text)
	}
	if rest != "" {
		text += "\n" + rest
	}
	return text
}
