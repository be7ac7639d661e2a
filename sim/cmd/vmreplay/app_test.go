package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/report"
)

// call runs a command line in this process.
func call(t *testing.T, args ...string) (code int, out, err string) {
	t.Helper()
	var o, e bytes.Buffer
	code = (&app{t: t, out: &o, err: &e}).main(args)
	return code, o.String(), e.String()
}

func TestExitCodes(t *testing.T) {
	const story = "scenarios/vmim/target-pod-not-created.yaml"
	tests := []struct {
		name string
		args []string
		code int
		out  string // part of standard output
		err  string // part of standard error
	}{
		{"help", nil, exitOK, "Exit codes:", ""},
		{"as expected", []string{"run", story}, exitOK, "5 runs: 5 as expected, 0 unexpected", ""},
		{"one variant", []string{"run", story, "--variant", "none"}, exitOK, "1 run: 1 as expected", ""},
		{"matrix", []string{"matrix", story}, exitOK, "target-pod-not-created  red   red", ""},
		{"matrix of a value", []string{"matrix", story, "--value", `vmim("default/migration").status.phase`}, exitOK, "target-pod-not-created  Scheduling  Scheduling", ""},
		{"a value that is none", []string{"matrix", story, "--value", "1 + 1"}, exitBadInput, "", "expected one field of an object"},
		{"show", []string{"show", story, "--variant", "both"}, exitOK, "call set-migrate-options", ""},
		{"validate", []string{"validate", story}, exitOK, "1 scenario is valid", ""},
		{"version", []string{"version"}, exitOK, "vmreplay ", ""},
		{"unknown command", []string{"rum"}, exitBadInput, "", `unknown command "rum" (did you mean "run"?)`},
		{"unknown flag", []string{"run", "--sed", "1"}, exitBadInput, "", "unknown flag: --sed"},
		{"unknown variant", []string{"run", "--variant", "bth"}, exitBadInput, "", `unknown variant "bth" (did you mean "both"?)`},
		{"unknown controller", []string{"run", "--controller", "vmin"}, exitBadInput, "", `unknown type of controller "vmin" (did you mean "vmim"?)`},
		{"unknown format", []string{"run", "--format", "jason"}, exitBadInput, "", `unknown format "jason" (did you mean "json"?)`},
		{"matrix has no junit", []string{"matrix", "--format", "junit"}, exitBadInput, "", "expected one of json, table"},
		{"no repetition", []string{"run", "--repeat", "0"}, exitBadInput, "", "--repeat: expected a number from 1 on, found 0"},
		{"no jobs", []string{"run", "--jobs", "-1"}, exitBadInput, "", "--jobs: expected a number from 1 on, found -1"},
		{"no such file", []string{"run", "nowhere.yaml"}, exitBadInput, "", "nowhere.yaml:1:1: there is no such file"},
		{"show without a variant", []string{"show", story}, exitBadInput, "", `"variant" not set`},
		{"show of many", []string{"show", "scenarios/vmim", "--variant", "none"}, exitBadInput, "", "show takes one scenario"},
		{"show of all variants", []string{"show", story, "--variant", "all"}, exitBadInput, "", `unknown variant "all"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, out, err := call(t, test.args...)
			if code != test.code || !strings.Contains(out, test.out) || !strings.Contains(err, test.err) {
				t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", code, test.code, out, err)
			}
			if code == exitBadInput && (out != "" || strings.Count(err, "\n") != 1) {
				t.Errorf("bad input is one line on standard error and nothing else, found\nstdout: %s\nstderr: %s", out, err)
			}
		})
	}
}

// What the runs gave decides the code; the worst of them counts.
func TestFinish(t *testing.T) {
	good := report.Result{Verdict: report.Pass, Expected: report.Pass}
	expectedRed := report.Result{Verdict: report.Fail, Expected: report.Fail}
	surprise := report.Result{Verdict: report.Fail, Expected: report.Pass, Unexpected: "expected green, found red"}
	tests := []struct {
		name    string
		results []report.Result
		code    int
	}{
		{"all as expected", []report.Result{good, expectedRed}, exitOK},
		{"one differs", []report.Result{good, surprise}, exitUnexpected},
		{"hung", []report.Result{surprise, {Status: report.Hung}}, exitNoVerdict},
		{"nondeterministic", []report.Result{{Status: report.Nondeterministic}, good}, exitNoVerdict},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			code := exitOK
			if err := (&app{out: &out}).finish(test.results, report.JSON); err != nil {
				var e exit
				if !errors.As(err, &e) {
					t.Fatalf("got the error %v, want an exit code", err)
				}
				code = int(e)
			}
			if code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
		})
	}
}

// The results do not depend on how many runs go on side by side, or how often
// each is repeated.
func TestJobsAndRepetitionsChangeNothing(t *testing.T) {
	_, want, _ := call(t, "run", "scenarios/vmim", "--format", "json")
	if !json.Valid([]byte(want)) {
		t.Fatalf("no JSON: %s", want)
	}
	for _, extra := range [][]string{{"--jobs", "4"}, {"--repeat", "3"}} {
		code, got, _ := call(t, append([]string{"run", "scenarios/vmim", "--format", "json"}, extra...)...)
		if code != exitOK {
			t.Errorf("%v: exit code %d", extra, code)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: the results differ (-without +with):\n%s", extra, diff)
		}
	}
}

func TestQuote(t *testing.T) {
	tests := []struct{ name, path, want string }{
		{"plain", "scenarios/vmim/a.yaml", "scenarios/vmim/a.yaml"},
		{"a space", "my scenarios/a.yaml", "'my scenarios/a.yaml'"},
		{"a quote", "it's.yaml", `'it'\''s.yaml'`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := quote(test.path); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
