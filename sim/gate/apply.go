package gate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A change is a file of the tree as patches leave it.
type change struct {
	path    string // relative to the tree
	content []byte
	deleted bool
}

// apply gives the files that patches change, as one git apply leaves them. The
// patches are applied to copies of the files, in a folder of their own.
func apply(tree string, patches []Patch) ([]change, error) {
	if len(patches) == 0 {
		return nil, nil
	}
	scratch, err := newScratch(tree, patches)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch.dir)
	if err := scratch.git(append([]string{"apply", "--"}, scratch.files...)...); err != nil {
		return nil, err
	}
	return scratch.changes()
}

// check demands what a careful build demands: that each patch applies to what
// those before it leave, and adds no bad white space.
func check(tree string, patches []Patch) error {
	if len(patches) == 0 {
		return nil
	}
	scratch, err := newScratch(tree, patches)
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch.dir)
	for _, file := range scratch.files {
		if err := scratch.git("apply", "--check", "--whitespace=error", "--", file); err != nil {
			return err
		}
		if err := scratch.git("apply", "--", file); err != nil {
			return err
		}
	}
	return nil
}

// A scratch is a folder with copies of the files that patches touch.
type scratch struct {
	dir   string
	files []string // of the patches, absolute
	paths []string // that they touch, relative
}

func newScratch(tree string, patches []Patch) (*scratch, error) {
	dir, err := os.MkdirTemp("", "vmreplay-patch-")
	if err != nil {
		return nil, err
	}
	s := &scratch{dir: dir}
	if err := s.fill(tree, patches); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

func (s *scratch) fill(tree string, patches []Patch) error {
	for _, p := range patches {
		file, err := filepath.Abs(p.Path)
		if err != nil {
			return err
		}
		s.files = append(s.files, file)
		touched, err := touches(p)
		if err != nil {
			return err
		}
		s.paths = append(s.paths, touched...)
	}
	slices.Sort(s.paths)
	s.paths = slices.Compact(s.paths)
	for _, path := range s.paths {
		if err := copyFile(filepath.Join(tree, path), filepath.Join(s.dir, path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, info.Mode().Perm()|0o200)
}

// moved are the lines that name a file which a patch takes its content from.
var moved = regexp.MustCompile(`(?m)^(?:rename|copy) from (.+)$`)

// touches lists the files that a patch reads or writes.
func touches(p Patch) ([]string, error) {
	var out, problem bytes.Buffer
	cmd := exec.Command("git", "apply", "--numstat", "-z", "-")
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = gitEnv("/"), bytes.NewReader(p.text), &out, &problem
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s is no patch that git can read:\n%s", p.Path, firstLines(problem.String(), err))
	}
	var paths []string
	for line := range strings.SplitSeq(out.String(), "\x00") {
		if _, rest, ok := strings.Cut(line, "\t"); ok {
			_, path, _ := strings.Cut(rest, "\t")
			paths = append(paths, path)
		}
	}
	for _, m := range moved.FindAllSubmatch(p.text, -1) {
		paths = append(paths, string(m[1]))
	}
	for _, path := range paths {
		if !filepath.IsLocal(path) {
			return nil, fmt.Errorf("%s: it changes %q, which is not in the tree", p.Path, path)
		}
	}
	return paths, nil
}

// gitEnv keeps git from looking for a repository above a folder: inside of one,
// git apply would take paths to be relative to its root. Nor does the user's
// configuration count: apply.ignoreWhitespace would have a patch apply here, and not
// where the series is used.
func gitEnv(ceiling string) []string {
	return append(os.Environ(), "GIT_CEILING_DIRECTORIES="+ceiling, "GIT_DIR=/nonexistent", "LC_ALL=C",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_COUNT=0")
}

func (s *scratch) git(args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = s.dir, gitEnv(filepath.Dir(s.dir))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("git %s:\n%s", strings.Join(shown(args), " "), firstLines(string(out), err))
	}
	return nil
}

// shown are arguments as an error names them: patches by their file's name.
func shown(args []string) []string {
	var all []string
	for _, a := range args {
		if a != "--" {
			all = append(all, filepath.Base(a))
		}
	}
	return all
}

func (s *scratch) changes() ([]change, error) {
	var all []change
	for _, path := range s.paths {
		content, err := os.ReadFile(filepath.Join(s.dir, path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		all = append(all, change{path: path, content: content, deleted: err != nil})
	}
	return all, nil
}

// mostLines bounds how much of another program's output an error repeats.
const mostLines = 12

// firstLines are the first lines of what a program printed, or, if it printed
// nothing, how it ended.
func firstLines(out string, err error) string {
	out = strings.TrimSpace(out)
	if out == "" {
		return err.Error()
	}
	lines := strings.Split(out, "\n")
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("... and %d more lines", more))
	}
	return strings.Join(lines, "\n")
}
