package report

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

const lost = `the migration never gets a network set-up
last attempt of default/mig at 5.004s: read Pod default/target: not found
Pod default/target ADDED at 5.207s did not enqueue it`

// sample has a result of each sort: as expected green and red, unexpected red,
// unexpected green, red by another check, hung, nondeterministic.
func sample() []Result {
	ready := func(ok bool) Check {
		return Check{
			Name: "ready", OK: ok, Message: lost, At: 61*time.Second + 2*time.Millisecond,
			File: "scenarios/vmim/target-pod-not-created.yaml", Line: 31, Column: 5,
		}
	}
	leak := Check{Name: "no-leak", OK: false, Message: "2 goroutines of kube-ovn-controller stay", At: time.Minute}
	result := func(scenario, controller, variant, verdict, expected string, checks ...Check) Result {
		return Result{
			Scenario: scenario, Path: "scenarios/" + controller + "/" + scenario + ".yaml",
			Controller: controller, Variant: variant, Verdict: verdict, Expected: expected,
			Hash: 0xab54a98ceb1f0ad2, VirtualSeconds: 61.0021, Steps: 37, Checks: checks,
			Replay: "vmreplay run scenarios/" + controller + "/" + scenario + ".yaml --variant " + variant + " --seed 1",
		}
	}
	other := result("same-node", "vmim", "none", Fail, Fail, leak)
	other.Unexpected = "red by no-leak, but ready is written down"
	other.Status = Leak
	hung := result("placement-removed", "kvvm", "none", Fail, Fail)
	hung.Status = Hung
	hung.Detail = "worker 1 waits for a lock\n\theld by worker 2, which sleeps until 1m5s"
	split := result("placement-removed", "kvvm", "level", Pass, Pass, ready(true))
	split.Status = Nondeterministic
	split.Detail = "step 12 differs: deliver Pod default/a ADDED #1, then deliver Pod default/b ADDED #1"
	return []Result{
		result("target-pod-not-created", "vmim", "none", Fail, Fail, ready(false)),
		result("target-pod-not-created", "vmim", "both", Pass, Pass, ready(true)),
		result("target-pod-not-created", "vmim", "wake", Fail, Pass, ready(false)),
		other,
		result("same-node", "vmim", "both", Pass, Fail, ready(true)),
		hung,
		split,
	}
}

func TestGolden(t *testing.T) {
	cases := []struct {
		name  string
		write func(io.Writer, []Result) error
	}{
		{"table.txt", func(w io.Writer, rs []Result) error { return Table(w, rs, TableOptions{}) }},
		{"table-narrow.txt", func(w io.Writer, rs []Result) error { return Table(w, rs, TableOptions{Width: 64}) }},
		{"table-40.txt", func(w io.Writer, rs []Result) error { return Table(w, rs, TableOptions{Width: 40}) }},
		{"table-verbose-colour.txt", func(w io.Writer, rs []Result) error {
			return Table(w, rs, TableOptions{Width: 100, Verbose: true, Colour: true})
		}},
		{"matrix.txt", func(w io.Writer, rs []Result) error { return Matrix(w, rs, TableOptions{}) }},
		{"matrix-narrow.txt", func(w io.Writer, rs []Result) error { return Matrix(w, rs, TableOptions{Width: 30}) }},
		{"matrix.json", MatrixJSON},
		{"results.json", JSON},
		{"junit.xml", JUnit},
		{"summary.md", Markdown},
		{"github.txt", Annotations},
		{"table-quiet.txt", func(w io.Writer, rs []Result) error { return Table(w, rs, TableOptions{Quiet: true}) }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got, again bytes.Buffer
			if err := c.write(&got, sample()); err != nil {
				t.Fatal(err)
			}
			if err := c.write(&again, sample()); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), again.Bytes()) {
				t.Error("the same results gave two texts")
			}
			compareGolden(t, filepath.Join("testdata", c.name), got.Bytes())
		})
	}
}

func compareGolden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got), write it anew with -update if that is right:\n%s", file, diff)
	}
}

func TestNoResults(t *testing.T) {
	cases := []struct {
		name  string
		write func(io.Writer, []Result) error
		want  string
	}{
		{"table", func(w io.Writer, rs []Result) error { return Table(w, rs, TableOptions{}) }, "0 runs: 0 as expected, 0 unexpected\n"},
		{"matrix", func(w io.Writer, rs []Result) error { return Matrix(w, rs, TableOptions{}) }, "0 runs: 0 as expected, 0 unexpected\n"},
		{"JSON", JSON, "{\n  \"ok\": true,\n  \"results\": []\n}\n"},
		{"matrix JSON", MatrixJSON, "{\n  \"ok\": true,\n  \"rows\": []\n}\n"},
		{"JUnit", JUnit, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"vmreplay\" tests=\"0\" failures=\"0\" errors=\"0\"></testsuites>\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got bytes.Buffer
			if err := c.write(&got, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAsExpected(t *testing.T) {
	cases := []struct {
		name   string
		result Result
		want   bool
	}{
		{"green as written", Result{Verdict: Pass, Expected: Pass}, true},
		{"red as written", Result{Verdict: Fail, Expected: Fail}, true},
		{"red, written green", Result{Verdict: Fail, Expected: Pass}, false},
		{"green, written red", Result{Verdict: Pass, Expected: Fail}, false},
		{"red by another check", Result{Verdict: Fail, Expected: Fail, Unexpected: "by no-leak"}, false},
		{"a leak that is written down", Result{Verdict: Fail, Expected: Fail, Status: Leak}, true},
		{"a panic that is written down", Result{Verdict: Fail, Expected: Fail, Status: Panic}, true},
		{"hung", Result{Verdict: Fail, Expected: Fail, Status: Hung}, false},
		{"nondeterministic", Result{Verdict: Pass, Expected: Pass, Status: Nondeterministic}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := c.result.AsExpected(); got != c.want {
				t.Errorf("got %t, want %t", got, c.want)
			}
		})
	}
}

// A cell stands for all runs of its scenario and variant.
func TestMatrixCellIsRedIfAnyRunIs(t *testing.T) {
	rs := []Result{
		{Scenario: "a", Variant: "v", Verdict: Pass, Expected: Pass},
		{Scenario: "a", Variant: "v", Verdict: Fail, Expected: Pass},
		{Scenario: "a", Variant: "v", Verdict: Pass, Expected: Pass},
	}
	var got bytes.Buffer
	if err := MatrixJSON(&got, rs); err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"ok\": false,\n  \"rows\": [\n    {\n      \"scenario\": \"a\",\n      \"cells\": {\n        \"v\": \"red\"\n      }\n    }\n  ]\n}\n"
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
