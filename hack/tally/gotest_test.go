package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stream builds the output of go test -json from short lines: "action test" or
// "output test text"; "-" stands for the package itself.
func stream(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		f := strings.SplitN(line, " ", 3)
		e := event{Action: f[0], Package: "p"}
		if f[1] != "-" {
			e.Test = f[1]
		}
		if len(f) == 3 {
			e.Output = f[2] + "\n"
		}
		text, err := json.Marshal(e)
		if err != nil {
			panic(err) // an event has nothing but text
		}
		b.Write(text)
	}
	return b.String()
}

func TestGoTest(t *testing.T) {
	cases := []struct {
		name  string
		lines []string
		want  Counts
		shown string // must be in the text for people
	}{
		{
			name:  "tests that pass",
			lines: []string{"start -", "run A", "output A === RUN   A", "pass A", "run B", "pass B", "output - ok  p 0.1s", "pass -"},
			want:  Counts{Passed: 2},
			shown: "ok  p 0.1s",
		},
		{
			name:  "subtests count instead of their parent",
			lines: []string{"run A", "run A/x", "run A/y", "pass A/x", "pass A/y", "pass A", "pass -"},
			want:  Counts{Passed: 2},
		},
		{
			name:  "a failed subtest is one failure",
			lines: []string{"run A", "run A/x", "output A/x boom", "fail A/x", "run A/y", "pass A/y", "fail A", "output - FAIL p", "fail -"},
			want:  Counts{Passed: 1, Failed: 1},
			shown: "boom",
		},
		{
			name:  "a parent may fail by itself",
			lines: []string{"run A", "run A/x", "pass A/x", "fail A", "fail -"},
			want:  Counts{Passed: 1, Failed: 1},
		},
		{
			name:  "slashes in the names of subtests",
			lines: []string{"run A", "run A/default/pod", "pass A/default/pod", "pass A", "pass -"},
			want:  Counts{Passed: 1},
		},
		{
			name:  "a skip is counted and shown",
			lines: []string{"run A", "output A no envtest", "skip A", "pass -"},
			want:  Counts{Skipped: 1},
			shown: "no envtest",
		},
		{
			name:  "a test that a panic cut off has failed",
			lines: []string{"run A", "pass A", "run B", "output B panic: oh", "output - FAIL p", "fail -"},
			want:  Counts{Passed: 1, Failed: 1},
			shown: "panic: oh",
		},
		{
			name:  "a package that fails outside of its tests",
			lines: []string{"run A", "pass A", "output - exit status 3", "fail -"},
			want:  Counts{Passed: 1, Failed: 1},
			shown: "exit status 3",
		},
		{
			name:  "a stream that ends in the middle",
			lines: []string{"run A", "pass A"},
			want:  Counts{Failed: 1},
			shown: "no result of p",
		},
		{
			name: "the specs of Ginkgo count instead of the suite",
			lines: []string{
				"run TestSuite", "output TestSuite \x1b[1mRan 3 of 3 Specs in 0.003 seconds\x1b[0m",
				"output TestSuite \x1b[38;5;10m\x1b[1mSUCCESS!\x1b[0m -- \x1b[38;5;10m\x1b[1m3 Passed\x1b[0m | \x1b[38;5;9m\x1b[1m0 Failed\x1b[0m | \x1b[38;5;11m\x1b[1m0 Pending\x1b[0m | \x1b[38;5;14m\x1b[1m0 Skipped\x1b[0m",
				"pass TestSuite", "run A", "pass A", "pass -",
			},
			want:  Counts{Passed: 4},
			shown: "Ran 3 of 3 Specs in 0.003 seconds",
		},
		{
			name: "failed and pending specs",
			lines: []string{
				"run TestSuite", "output TestSuite Ran 3 of 4 Specs in 0.003 seconds",
				"output TestSuite FAIL! -- 2 Passed | 1 Failed | 1 Pending | 0 Skipped", "fail TestSuite", "fail -",
			},
			want: Counts{Passed: 2, Failed: 1, Skipped: 1},
		},
		{
			name: "a suite that fails before its specs",
			lines: []string{
				"run TestSuite", "output TestSuite Ran 0 of 4 Specs in 0.003 seconds",
				"output TestSuite FAIL! -- 0 Passed | 0 Failed | 0 Pending | 4 Skipped", "fail TestSuite", "fail -",
			},
			want: Counts{Failed: 1, Skipped: 4},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			got, err := goTest(strings.NewReader(stream(c.lines...)), &out)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), c.shown) {
				t.Errorf("expected %q in:\n%s", c.shown, out.String())
			}
			got.Closing = nil
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestGoTestShowsWhatDoesNotBuild(t *testing.T) {
	in := `{"ImportPath":"p","Action":"build-output","Output":"a.go:1: undefined: x\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`
	var out bytes.Buffer
	got, err := goTest(strings.NewReader(in), &out)
	if err != nil {
		t.Fatal(err)
	}
	if got.Failed != 1 || !strings.Contains(out.String(), "undefined: x") {
		t.Errorf("got %+v and:\n%s", got, out.String())
	}
}

func TestGoTestRefusesOtherInput(t *testing.T) {
	var out bytes.Buffer
	if _, err := goTest(strings.NewReader("ok  p 0.1s\n"), &out); err == nil {
		t.Error("text that is no JSON was counted")
	}
}
