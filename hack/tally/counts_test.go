package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBats(t *testing.T) {
	cases := []struct {
		name     string
		declared string
		tap      string
		want     Counts
	}{
		{"all pass", "@test \"a\" {\n@test \"b\" {\n", "1..2\nok 1 a\nok 2 b\n", Counts{Passed: 2}},
		{"one fails", "@test \"a\" {\n@test \"b\" {\n", "1..2\nok 1 a\nnot ok 2 b\n# why\n", Counts{Passed: 1, Failed: 1}},
		{"one is skipped", "@test \"a\" {\n", "1..1\nok 1 a # skip no network\n", Counts{Skipped: 1}},
		{"an early exit", "@test \"a\" {\n  @test \"b\" {\n@test \"c\" {\n", "1..3\nok 1 a\n", Counts{Passed: 1, Failed: 2}},
		{"a filter", "@test \"a\" {\n@test \"b\" {\n", "1..1\nok 1 a\n", Counts{Passed: 1, Failed: 1}},
		{"nothing at all", "@test \"a\" {\n", "", Counts{Failed: 1}},
		{"a comment is no declaration", "# @test \"a\" {\n@test \"b\" {\n", "1..1\nok 1 b\n", Counts{Passed: 1}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.bats")
			write(t, file, c.declared)
			var out bytes.Buffer
			got, err := bats(strings.NewReader(c.tap), &out, []string{file})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(out.String(), c.tap) {
				t.Errorf("the TAP was not passed on:\n%s", out.String())
			}
			got.Closing = nil
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSum(t *testing.T) {
	cases := []struct {
		name   string
		counts []Counts
		status int
		ok     bool
		last   string
	}{
		{"all pass", []Counts{{Passed: 3}, {Passed: 4}}, 0, true, "7 passed, 0 failed"},
		{"a failure", []Counts{{Passed: 3, Failed: 1}, {Passed: 4}}, 2, false, "7 passed, 1 failed"},
		{"a failure that make did not see", []Counts{{Passed: 3, Failed: 1}}, 0, false, "3 passed, 1 failed"},
		{"a skip is a failure", []Counts{{Passed: 3, Skipped: 2}}, 2, false, "3 passed, 2 failed"},
		{"a linter fails", []Counts{{Passed: 3}}, 2, false, "3 passed, 1 failed"},
		{"a tool that did not run", []Counts{{Passed: 3}, {}}, 2, false, "3 passed, 1 failed"},
		{"nothing ran", []Counts{{}, {}}, 0, false, "0 passed, 2 failed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			var names []string
			for i, counts := range c.counts {
				names = append(names, fmt.Sprint("tool", i))
				if counts.Passed == 0 {
					continue // this one left nothing
				}
				if err := counts.write(filepath.Join(folder, names[i]+".json")); err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			ok, err := sum(&out, folder, names, c.status)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if last := lines[len(lines)-1]; ok != c.ok || last != c.last {
				t.Errorf("got %t and %q, want %t and %q", ok, last, c.ok, c.last)
			}
		})
	}
}

func TestSumRefusesBadCounts(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "a.json"), "{")
	var out bytes.Buffer
	if _, err := sum(&out, folder, []string{"a"}, 0); err == nil {
		t.Error("a broken file was summed up")
	}
}

func TestRunRefusesBadArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"other"}, {"sum"}, {"sum", "folder"}, {"go"}, {"go", "-x"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			var out bytes.Buffer
			if _, err := run(args, strings.NewReader(""), &out); err == nil {
				t.Errorf("%q was accepted", args)
			}
		})
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
