package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxBody is how many bytes of a failure's text are kept: viewers refuse files
// of many megabytes, and stacks are long.
const maxBody = 16 << 10

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

// There is no time: it would be read as real time, and the run has virtual
// time only, which is a property.
type junitCase struct {
	ClassName  string          `xml:"classname,attr"`
	Name       string          `xml:"name,attr"`
	File       string          `xml:"file,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Failure    *junitFault     `xml:"failure,omitempty"`
	Error      *junitFault     `xml:"error,omitempty"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitFault struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Body    string `xml:",cdata"` // printable, since nothing is escaped in it
}

// JUnit writes a suite for each controller and a case for each scenario and
// variant. A verdict that differs from the one written down is a failure; a run
// that was nondeterministic or hung is an error. Names do not depend on
// outcomes, so that cases of several reports can be joined.
func JUnit(w io.Writer, rs []Result) error {
	all := junitSuites{Name: "vmreplay"}
	index := map[string]int{}
	for _, r := range rs {
		i, known := index[r.Controller]
		if !known {
			i = len(all.Suites)
			index[r.Controller] = i
			all.Suites = append(all.Suites, junitSuite{Name: oneLine(r.Controller)})
		}
		all.Suites[i].add(newJUnitCase(r))
	}
	for _, s := range all.Suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
	}
	return writeXML(w, all)
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Error != nil {
		s.Errors++
	}
}

func newJUnitCase(r Result) junitCase {
	c := junitCase{
		ClassName: oneLine(r.Controller) + "." + oneLine(r.Scenario),
		Name:      oneLine(r.Variant),
		File:      oneLine(r.Path),
		Properties: []junitProperty{
			{"hash", fmt.Sprintf("%016x", r.Hash)},
			{"virtualSeconds", strconv.FormatFloat(r.VirtualSeconds, 'f', -1, 64)},
			{"steps", strconv.Itoa(r.Steps)},
		},
	}
	if r.AsExpected() {
		return c
	}
	fault := &junitFault{Message: outcome(r), Type: "verdict", Body: junitBody(r)}
	if r.Status == Nondeterministic || r.Status == Hung {
		fault.Type = r.Status
		c.Error = fault
	} else {
		c.Failure = fault
	}
	return c
}

// junitBody is the verdict, the explanations and, last, the command that
// repeats the run: it is never cut off.
func junitBody(r Result) string {
	text := Printable(strings.Join(append([]string{outcome(r)}, append(explanations(r), scheduleText(r)...)...), "\n"))
	if len(text) > maxBody {
		text = strings.ToValidUTF8(text[:maxBody], "") + "\n… cut off here"
	}
	if r.Replay != "" {
		text += "\n" + oneLine(r.Replay)
	}
	return "\n" + text + "\n"
}

// writeXML writes all or, after an error, nothing.
func writeXML(w io.Writer, v any) error {
	b := bytes.NewBufferString(xml.Header)
	e := xml.NewEncoder(b)
	e.Indent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}
