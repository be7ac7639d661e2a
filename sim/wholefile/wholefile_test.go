package wholefile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/wholefile"
)

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

func TestReplace(t *testing.T) {
	tests := []struct {
		name string
		path func(dir string) string
		err  string
	}{
		{"a new file", func(dir string) string { return filepath.Join(dir, "new") }, ""},
		{"an old file", func(dir string) string { return filepath.Join(dir, "old") }, ""},
		{"a link", func(dir string) string { return filepath.Join(dir, "link") }, ""},
		{"a folder", func(dir string) string { return dir }, "is a folder"},
		{"a device", func(string) string { return os.DevNull }, "is no regular file"},
		{"below a file", func(dir string) string { return filepath.Join(dir, "old", "x") }, "cannot be written: not a directory"},
		{"no folder", func(dir string) string { return filepath.Join(dir, "a", "b") }, "cannot be written: no such file or directory"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "old"), []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("old", filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			path := test.path(dir)
			err := wholefile.Replace(path, []byte("new text"))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("the error is %v, expected %q", err, test.err)
				}
			} else if text, e := os.ReadFile(path); err != nil || e != nil || string(text) != "new text" {
				t.Errorf("%v, %v, %q", err, e, text)
			}
			for _, name := range left(t, dir) {
				if strings.HasPrefix(name, ".") {
					t.Errorf("%s was left", name)
				}
			}
			if info, e := os.Lstat(filepath.Join(dir, "link")); e != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Error("the link is a link no more")
			}
		})
	}
}

func TestCreate(t *testing.T) {
	tests := []struct {
		name string
		path string // below a folder that has the file "old"
		err  string // part of it; empty for none
	}{
		{"a new file", "new", ""},
		{"an old file", "old", "is there already: nothing was written"},
		{"no folder", "a/b", "cannot be written: there is no folder "},
		{"below a file", "old/x", "cannot be written: not a directory"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "old"), []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
			want := []string{"old"}
			err := wholefile.Create(filepath.Join(dir, test.path), []byte("new"))
			switch {
			case test.err == "" && err == nil:
				want = []string{"new", "old"}
			case test.err == "" || err == nil || !strings.Contains(err.Error(), test.err):
				t.Errorf("the error is %v, expected %q", err, test.err)
			}
			if diff := cmp.Diff(want, left(t, dir)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "old")); err != nil || string(text) != "old" {
				t.Errorf("the old file: %q, %v", text, err)
			}
		})
	}
}

func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, path, err string }{
		{"a new one", "a/b", ""},
		{"an old one", ".", ""},
		{"a file", "file", "cannot be made: not a directory"},
		{"below a file", "file/x", "cannot be made: not a directory"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := wholefile.CheckFolder(filepath.Join(dir, test.path))
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("the error is %v, expected %q", err, test.err)
			}
		})
	}
	if diff := cmp.Diff([]string{"file"}, left(t, dir)); diff != "" {
		t.Errorf("it left something (-want +got):\n%s", diff)
	}
}
