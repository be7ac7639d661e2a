package scenario_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/vmreplay/vmreplay/sim/scenario"
)

func TestUnreadableFiles(t *testing.T) {
	for _, c := range []struct {
		name string
		text string
		want string
	}{
		{"empty", "", "1:1: the file is empty"},
		{"comments only", "# nothing\n", "1:1: the file is empty"},
		{"nothing", "~\n", "1:1: expected a Scenario (a mapping with apiVersion and kind), found nothing"},
		{"two documents", with(base, "") + "---\na: 1\n", "9:1: a second document starts here: expected one document in a file"},
		{"no UTF-8", "kind: Scenario\nx: \xff\n", "2:4: the file is no UTF-8 text"},
		{"UTF-16", "\xff\xfek\x00", "1:1: the file is no UTF-8 text"},
		{"tab as indentation", "a:\n\tb: 1\n", "2:1: bad YAML: found character that cannot start any token"},
		{"unknown anchor", "a: *b\n", "1:1: bad YAML: unknown anchor 'b' referenced"},
		{"alias in its own anchor", "a: &b [*b]\n", "1:8: the alias *b stands inside its own anchor"},
		{"too deep", strings.Repeat("[", 20_000), "1:1: bad YAML: exceeded max depth of 10000"},
		{"alias bomb", bomb(), "6:25: the alias *a4 brings the file to more than 100000 aliased values"},
		{"long alias bomb", longBomb(), "1:2305: the alias *a brings the file to more than 100000 aliased values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, c.text, nil)
			if err == nil || err.Error() != "story.yaml:"+c.want {
				t.Errorf("got %v, want story.yaml:%s", err, c.want)
			}
		})
	}
}

// bomb stands for ten to the tenth values.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 x\n")
	for i := 1; i <= 10; i++ {
		alias := fmt.Sprintf("*a%d", i-1)
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.Join([]string{alias, alias, alias, alias, alias, alias, alias, alias, alias, alias}, ", "))
	}
	return b.String()
}

// longBomb stands for a thousand times a thousand values.
func longBomb() string {
	return "[&a [" + strings.Repeat("1,", 1000) + "]" + strings.Repeat(",*a", 1000) + "]"
}

// A hugeFile fails the test if anybody reads it.
type hugeFile struct {
	fs.File
	t *testing.T
}

func (h hugeFile) Read([]byte) (int, error) {
	h.t.Error("the file is read")
	return 0, errors.New("not for reading")
}

type hugeFS struct {
	fstest.MapFS
	t *testing.T
}

func (h hugeFS) Open(name string) (fs.File, error) {
	f, err := h.MapFS.Open(name)
	return hugeFile{f, h.t}, err
}

func TestHugeFileIsNotRead(t *testing.T) {
	huge := files(map[string]string{"story.yaml": strings.Repeat("a", 10<<20)})
	_, err := scenario.Load(hugeFS{huge, t}, "story.yaml", nil, catalog(), env(t))
	want := "story.yaml:1:1: the file has 10485760 bytes: at most 1048576 (1 MiB) are read"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestFileThatGrows: the size that is told may be wrong.
func TestFileThatGrows(t *testing.T) {
	growing := growingFS{files(map[string]string{"story.yaml": strings.Repeat("#", 2<<20)})}
	_, err := scenario.Load(growing, "story.yaml", nil, catalog(), env(t))
	want := "story.yaml:1:1: the file has more than 1048576 bytes (1 MiB)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

type growingFS struct{ fstest.MapFS }

func (g growingFS) Stat(string) (fs.FileInfo, error) {
	return fs.Stat(files(map[string]string{"small": "a"}), "small")
}

func TestNoFile(t *testing.T) {
	for _, c := range []struct {
		name string
		fsys fs.FS
		want string
	}{
		{"missing", fstest.MapFS{}, "there is no such file"},
		{"folder", files(map[string]string{"story.yaml/a": ""}), "expected a file, found a folder"},
		{"pipe", fstest.MapFS{"story.yaml": {Mode: fs.ModeNamedPipe}}, "expected a regular file, found a p---------"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := scenario.Load(c.fsys, "story.yaml", nil, catalog(), env(t))
			if want := "story.yaml:1:1: " + c.want; err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// A closedFS has files that nobody may read.
type closedFS struct{ fstest.MapFS }

func (closedFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func TestFileThatMayNotBeRead(t *testing.T) {
	closed := closedFS{files(map[string]string{"story.yaml": "", "a.yaml": ""})}
	_, err := scenario.Load(closed, "story.yaml", nil, catalog(), env(t))
	want := "story.yaml:1:1: the file cannot be read: permission denied"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	story := files(map[string]string{"story.yaml": with(base, "given: {fixtures: [a]}")})
	_, err = scenario.Load(story, "story.yaml", closed, catalog(), env(t))
	want = "fixtures/a.yaml:1:1: the file cannot be read: permission denied"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestLargestFile: a file of just 1 MiB loads.
func TestLargestFile(t *testing.T) {
	text := with(base, "")
	text += strings.Repeat("#", 1<<20-len(text))
	if _, err := load(t, text, nil); err != nil {
		t.Error(err)
	}
}

func TestManyProblems(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, "x%d: 1\n", i)
	}
	_, err := load(t, with(base, text.String()), nil)
	all, _ := errors.AsType[scenario.Errors](err)
	if len(all) != 101 {
		t.Fatalf("got %d problems, want 100 and one that counts the others", len(all))
	}
	want := "story.yaml:1:1: there are 5000 problems: only 100 are listed"
	if got := all[0].Error(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
