package report

import (
	"fmt"
	"io"
	"strings"
)

// Annotations writes a workflow command of GitHub for each run that went
// otherwise than written down: an error at the line of the check that failed, or
// of the scenario if it is none of the file's checks.
func Annotations(w io.Writer, rs []Result) error {
	var b strings.Builder
	for _, r := range rs {
		if r.AsExpected() {
			continue
		}
		file, line, column := r.Path, 1, 1
		for _, c := range r.Checks {
			if !c.OK && c.File != "" {
				file, line, column = c.File, max(c.Line, 1), max(c.Column, 1)
				break
			}
		}
		text := strings.Join(append(explanations(r), scheduleText(r)...), "\n")
		if r.Replay != "" {
			text += "\n" + oneLine(r.Replay)
		}
		title := oneLine(r.Scenario) + ", variant " + oneLine(r.Variant) + ": " + outcome(r)
		fmt.Fprintf(&b, "::error file=%s,line=%d,col=%d,title=%s::%s\n",
			githubProperty(oneLine(file)), line, column, githubProperty(title), githubText(Printable(text)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// githubText escapes what would end the command or begin another.
func githubText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// githubProperty escapes what would end a property too.
func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubText(s))
}
