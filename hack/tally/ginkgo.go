package main

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	colour     = regexp.MustCompile("\x1b\\[[0-9;]*m")
	ginkgoRan  = regexp.MustCompile(`^Ran \d+ of \d+ Specs? in `)
	ginkgoEnds = regexp.MustCompile(`^(?:SUCCESS|FAIL)! -- (\d+) Passed \| (\d+) Failed \| (\d+) Pending \| (\d+) Skipped`)
)

// specs is what Ginkgo's closing lines say about one suite.
type specs struct {
	passed, failed, skipped int
	closing                 []string
}

// addOutput keeps one piece of output and looks for Ginkgo's closing lines.
func (c *goTestCase) addOutput(text string) {
	if !strings.HasPrefix(text, "=== ") { // the progress lines of go test -v
		c.output = append(c.output, text)
	}
	line := strings.TrimSpace(colour.ReplaceAllString(text, ""))
	if ginkgoRan.MatchString(line) {
		c.specs = &specs{closing: []string{line}}
		return
	}
	m := ginkgoEnds.FindStringSubmatch(line)
	if m == nil {
		return
	}
	if c.specs == nil {
		c.specs = &specs{}
	}
	c.specs.closing = append(c.specs.closing, line)
	c.specs.passed, c.specs.failed = number(m[1]), number(m[2])
	c.specs.skipped = number(m[3]) + number(m[4])
}

func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0 // more specs than an int can count
	}
	return n
}
