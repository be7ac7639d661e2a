package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// event is one line of go test -json (go doc test2json).
type event struct {
	Action, Package, ImportPath, Test, Output string
	FailedBuild                               string
}

// goPackage is the state of one package while its tests run.
type goPackage struct {
	order  []string // names of the tests, in the order of their start
	tests  map[string]*goTestCase
	output []string // what the package printed outside any test
}

type goTestCase struct {
	result string // "", pass, fail, skip
	output []string
	specs  *specs // what Ginkgo says, if the test is a suite of it
}

// goTest shows the output of failed tests and one line for each package, and
// counts test cases: tests without subtests, and Ginkgo's specs.
func goTest(in io.Reader, out io.Writer) (Counts, error) {
	t := goTally{out: out, packages: map[string]*goPackage{}}
	decoder := json.NewDecoder(in)
	for {
		var e event
		err := decoder.Decode(&e)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Counts{}, fmt.Errorf("expected the output of go test -json: %w", err)
		}
		t.add(e)
	}
	return t.finish(), nil
}

type goTally struct {
	out       io.Writer
	packages  map[string]*goPackage
	ended     int // packages with tests
	goCases   Counts
	specCases Counts
	closing   []string
}

func (t *goTally) add(e event) {
	if strings.HasPrefix(e.Action, "build-") {
		fmt.Fprint(t.out, e.Output)
		return
	}
	p := t.packages[e.Package]
	if p == nil {
		p = &goPackage{tests: map[string]*goTestCase{}}
		t.packages[e.Package] = p
	}
	if e.Test == "" {
		t.addToPackage(p, e)
		return
	}
	c := p.tests[e.Test]
	if c == nil {
		c = &goTestCase{}
		p.tests[e.Test] = c
		p.order = append(p.order, e.Test)
	}
	switch e.Action {
	case "output":
		c.addOutput(e.Output)
	case "pass", "fail", "skip":
		c.result = e.Action
	}
}

func (t *goTally) addToPackage(p *goPackage, e event) {
	switch e.Action {
	case "output":
		p.output = append(p.output, e.Output)
	case "pass", "fail", "skip":
		t.endPackage(p, e)
		delete(t.packages, e.Package)
	}
}

func (t *goTally) endPackage(p *goPackage, e event) {
	failedBefore := t.goCases.Failed + t.specCases.Failed
	parents := p.parents()
	for _, name := range p.order {
		childFailed, isParent := parents[name]
		t.countTest(p.tests[name], isParent, childFailed)
	}
	if len(p.order) > 0 {
		t.ended++
	}
	if e.Action != "fail" {
		// The last line is go test's own: "ok  <package>  <time>".
		if n := len(p.output); n > 0 {
			fmt.Fprint(t.out, p.output[n-1])
		}
		return
	}
	if failedBefore == t.goCases.Failed+t.specCases.Failed {
		// It did not build, or it ended outside of its tests.
		t.goCases.Failed++
	}
	fmt.Fprint(t.out, strings.Join(p.output, ""))
}

func (t *goTally) countTest(c *goTestCase, isParent, childFailed bool) {
	if c.result == "" {
		// The process ended before the test did: a panic or a timeout.
		c.result = "fail"
	}
	if c.result != "pass" {
		fmt.Fprint(t.out, strings.Join(c.output, ""))
	}
	switch {
	case c.specs != nil:
		t.countSpecs(c)
	case isParent:
		// The subtests count, unless the fault is the parent's own.
		if c.result == "fail" && !childFailed {
			t.goCases.Failed++
		}
	case c.result == "pass":
		t.goCases.Passed++
	case c.result == "skip":
		t.goCases.Skipped++
	default:
		t.goCases.Failed++
	}
}

func (t *goTally) countSpecs(c *goTestCase) {
	t.closing = append(t.closing, c.specs.closing...)
	t.specCases.Passed += c.specs.passed
	t.specCases.Failed += c.specs.failed
	t.specCases.Skipped += c.specs.skipped
	if c.result == "fail" && c.specs.failed == 0 {
		t.specCases.Failed++
	}
}

// parents maps each test that has subtests to whether one of these failed.
func (p *goPackage) parents() map[string]bool {
	failed := map[string]bool{}
	for _, name := range p.order {
		r := p.tests[name].result
		bad := r == "fail" || r == ""
		for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
			failed[name[:i]] = failed[name[:i]] || bad
		}
	}
	return failed
}

func (t *goTally) finish() Counts {
	for _, name := range slices.Sorted(maps.Keys(t.packages)) {
		// The stream ended in the middle of a package.
		t.goCases.Failed++
		t.closing = append(t.closing, fmt.Sprintf("go test: no result of %s", name))
	}
	g, s := t.goCases, t.specCases
	closing := []string{fmt.Sprintf("go test: packages %d, test cases passed %d, failed %d, skipped %d", t.ended, g.Passed, g.Failed, g.Skipped)}
	closing = append(closing, t.closing...)
	if s.Passed+s.Failed+s.Skipped > 0 {
		closing = append(closing, fmt.Sprintf("ginkgo: specs passed %d, failed %d, pending or skipped %d", s.Passed, s.Failed, s.Skipped))
	}
	for _, line := range closing {
		fmt.Fprintln(t.out, line)
	}
	return Counts{
		Passed:  g.Passed + s.Passed,
		Failed:  g.Failed + s.Failed,
		Skipped: g.Skipped + s.Skipped,
		Closing: closing,
	}
}
