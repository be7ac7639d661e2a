package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
)

var (
	tapPlan     = regexp.MustCompile(`^1\.\.(\d+)`)
	tapResult   = regexp.MustCompile(`^(ok|not ok) \d+ (.*)$`)
	tapSkip     = regexp.MustCompile(` # skip\b`)
	declaration = regexp.MustCompile(`(?m)^[ \t]*@test[ \t]`)
)

// bats passes TAP on and counts it. Every @test that the files declare must
// have ended; those that have not count as failed.
func bats(in io.Reader, out io.Writer, files []string) (Counts, error) {
	declared, err := declaredTests(files)
	if err != nil {
		return Counts{}, err
	}
	var c Counts
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	plan := "missing"
	for lines.Scan() {
		line := lines.Text()
		fmt.Fprintln(out, line)
		if tapPlan.MatchString(line) {
			plan = line
		}
		m := tapResult.FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[1] == "not ok":
			c.Failed++
		case tapSkip.MatchString(m[2]):
			c.Skipped++
		default:
			c.Passed++
		}
	}
	if err := lines.Err(); err != nil {
		return Counts{}, err
	}
	c.Closing = append(c.Closing, fmt.Sprintf("bats: plan %s, passed %d, failed %d, skipped %d", plan, c.Passed, c.Failed, c.Skipped))
	if ended := c.Passed + c.Failed + c.Skipped; ended != declared {
		line := fmt.Sprintf("bats: the files declare %d tests, but %d ended", declared, ended)
		fmt.Fprintln(out, line)
		c.Closing = append(c.Closing, line)
		c.Failed += max(declared-ended, 1)
	}
	return c, nil
}

func declaredTests(files []string) (int, error) {
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		n += len(declaration.FindAll(text, -1))
	}
	return n, nil
}
