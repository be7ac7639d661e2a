package files_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/report/files"
	"github.com/vmreplay/vmreplay/sim/report/page"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name    string
		texts   []string
		records bool
		err     string // part of it; empty for none
	}{
		{"none", nil, false, ""},
		{"several with commas", []string{"html=a.html,junit=b.xml, github"}, true, ""},
		{"several flags", []string{"json=a", "markdown=b"}, false, ""},
		{"a trace needs records", []string{"trace=a"}, true, ""},
		{"GitHub into a file", []string{"github=a"}, false, ""},
		{"a misspelt form", []string{"htm=a"}, false, `unknown report "htm" (did you mean "html"?)`},
		{"an unknown form", []string{"pdf=a"}, false, "expected one of html, junit, trace, markdown, json, github"},
		{"no path", []string{"html"}, false, "html: expected the path of a file: html=FILE"},
		{"an empty path", []string{"junit="}, false, "junit: expected the path of a file"},
		{"two of one path", []string{"html=a,json=a"}, false, "json=a: two reports cannot be one file"},
		{"two spellings of one path", []string{"html=a,json=./b/../a"}, false, "json=./b/../a: two reports cannot be one file"},
		{"empty", []string{""}, false, `unknown report ""`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := files.Parse(test.texts)
			switch {
			case err == nil && test.err != "", err != nil && (test.err == "" || !strings.Contains(err.Error(), test.err)):
				t.Fatalf("the error is %v, expected %q", err, test.err)
			case err == nil && s.NeedsRecords() != test.records:
				t.Errorf("needs records: %t", s.NeedsRecords())
			}
		})
	}
}

// left are the names in a folder.
func left(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, "out", name) }
	s, err := files.Parse([]string{"html=" + at("r.html") + ",junit=" + at("j.xml") + ",trace=" + at("t.json"), "json=" + at("r.json") + ",markdown=" + at("s.md") + ",github"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if names := left(t, at("")); names != nil {
		t.Errorf("the check left %v", names)
	}
	runs := []page.Run{{Result: report.Result{Scenario: "s", Variant: "v", Verdict: report.Fail, Expected: report.Pass}}}
	var stream bytes.Buffer
	written, err := s.Write(&stream, runs, page.Options{})
	if err != nil || len(written) != 5 {
		t.Fatalf("%v, written: %v", err, written)
	}
	if diff := cmp.Diff([]string{"j.xml", "r.html", "r.json", "s.md", "t.json"}, left(t, at(""))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(stream.String(), "::error ") {
		t.Errorf("on the stream: %s", stream.String())
	}
}

func TestCheckFindsWhatKeepsFilesFromBeingWritten(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "file", "x", "y")} {
		s, err := files.Parse([]string{"html=" + path})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(); err == nil || !strings.HasPrefix(err.Error(), "html: ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if diff := cmp.Diff([]string{"file"}, left(t, dir)); diff != "" {
		t.Errorf("the check left something (-want +got):\n%s", diff)
	}
}
