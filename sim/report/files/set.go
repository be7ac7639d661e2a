package files

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/nearest"
	"github.com/vmreplay/vmreplay/sim/report"
	"github.com/vmreplay/vmreplay/sim/report/page"
	"github.com/vmreplay/vmreplay/sim/report/perfetto"
	"github.com/vmreplay/vmreplay/sim/wholefile"
)

// A form of report.
type form struct {
	name   string
	record bool // it shows what happened in the runs, not only how they ended
	stream bool // it may do without a file
	write  func(w io.Writer, runs []page.Run, o page.Options) error
}

var forms = []form{
	{"html", true, false, page.Write},
	{"junit", false, false, ofResults(report.JUnit)},
	{"trace", true, false, func(w io.Writer, runs []page.Run, _ page.Options) error { return perfetto.Write(w, runs) }},
	{"markdown", false, false, ofResults(report.Markdown)},
	{"json", false, false, ofResults(report.JSON)},
	{"github", false, true, ofResults(report.Annotations)},
}

func ofResults(write func(io.Writer, []report.Result) error) func(io.Writer, []page.Run, page.Options) error {
	return func(w io.Writer, runs []page.Run, _ page.Options) error {
		rs := make([]report.Result, len(runs))
		for i, r := range runs {
			rs[i] = r.Result
		}
		return write(w, rs)
	}
}

// Names are the forms that a set may have.
func Names() []string {
	var all []string
	for _, f := range forms {
		all = append(all, f.name)
	}
	return all
}

// A Set is the reports that one call of the command writes.
type Set []target

type target struct {
	form
	path string // empty for the stream
}

// Parse reads "html=out/report.html,junit=out/junit.xml,github". Each text may
// hold several reports; a path cannot hold a comma.
func Parse(texts []string) (Set, error) {
	var s Set
	for _, text := range texts {
		for part := range strings.SplitSeq(text, ",") {
			t, err := parse(strings.TrimSpace(part))
			if err != nil {
				return nil, err
			}
			if t.path != "" && slices.ContainsFunc(s, func(o target) bool { return sameFile(o.path, t.path) }) {
				return nil, fmt.Errorf("%s: two reports cannot be one file", part)
			}
			s = append(s, t)
		}
	}
	return s, nil
}

// sameFile says whether two paths name one file, however they are spelled.
func sameFile(a, b string) bool { return a != "" && whole(a) == whole(b) }

// whole is a path from the root, without links where there are any yet.
func whole(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}

func parse(part string) (target, error) {
	name, path, given := strings.Cut(part, "=")
	for _, f := range forms {
		switch {
		case f.name != name:
			continue
		case path == "" && (given || !f.stream):
			return target{}, fmt.Errorf("%s: expected the path of a file: %s=FILE", name, name)
		}
		return target{f, path}, nil
	}
	if near := nearest.Word(name, Names()); near != "" {
		return target{}, fmt.Errorf("unknown report %q (did you mean %q?)", name, near)
	}
	return target{}, fmt.Errorf("unknown report %q: expected one of %s", name, strings.Join(Names(), ", "))
}

// NeedsRecords says that some report shows what happened in the runs.
func (s Set) NeedsRecords() bool {
	return slices.ContainsFunc(s, func(t target) bool { return t.record })
}

// Check finds, before anything is run, what would keep the files from being
// written. It makes the folders that are missing.
func (s Set) Check() error {
	for _, t := range s {
		if t.path == "" {
			continue
		}
		if err := wholefile.Check(t.path); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// Write writes all reports; those without a file go to stream. It returns the
// paths of the files written, those before an error included.
func (s Set) Write(stream io.Writer, runs []page.Run, o page.Options) ([]string, error) {
	var written []string
	for _, t := range s {
		var b bytes.Buffer
		if err := t.write(&b, runs, o); err != nil {
			return written, fmt.Errorf("%s: %w", t.name, err)
		}
		if t.path == "" {
			if _, err := stream.Write(b.Bytes()); err != nil {
				return written, fmt.Errorf("%s: %w", t.name, err)
			}
			continue
		}
		if err := wholefile.Replace(t.path, b.Bytes()); err != nil {
			return written, fmt.Errorf("%s: %w", t.name, err)
		}
		written = append(written, t.path)
	}
	return written, nil
}
