package gate

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// UpstreamSuffix is what the name of a patch's upstream diff has behind the name
// of the patch.
const UpstreamSuffix = ".upstream"

// A Patch is one file of a series.
type Patch struct {
	// Name is the file's name without its ending and its number:
	// "retry-missing-pod" for 0002-retry-missing-pod.diff.
	Name string
	Path string
	text []byte
}

// number is the part of a file name that only gives the order.
var number = regexp.MustCompile(`^[0-9]+[-_.]`)

// LoadPatches reads the files that a pattern matches, in the order in which a
// shell in the C locale lists them, which is the order of one git apply.
func LoadPatches(pattern string) ([]Patch, error) {
	if pattern == "" {
		return nil, nil
	}
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("--patches %s: %w", pattern, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("--patches: no file matches %q", pattern)
	}
	slices.Sort(paths)
	var all []Patch
	first := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("--patches: %w", err)
		}
		base := filepath.Base(path)
		name := number.ReplaceAllString(strings.TrimSuffix(base, filepath.Ext(base)), "")
		if other, taken := first[name]; taken {
			return nil, fmt.Errorf("--patches: %s and %s are both called %q: their names must differ in more than the number", other, path, name)
		}
		first[name] = path
		all = append(all, Patch{Name: name, Path: path, text: text})
	}
	return all, nil
}

// trailer is the line of a patch's message that names the commit it is a copy of.
var trailer = regexp.MustCompile(`(?mi)^Upstream-Commit:[ \t]*(\S+)[ \t]*$`)

// diffStart is where the message of a patch ends and its diff begins.
var diffStart = regexp.MustCompile(`(?m)^diff --git `)

// Upstream is the commit that the patch says it is a copy of, or empty.
func (p Patch) Upstream() string {
	message, _ := p.split()
	if m := trailer.FindSubmatch(message); m != nil {
		return string(m[1])
	}
	return ""
}

// signature is how git format-patch ends a mail: two hyphens and git's version. No
// line of a diff begins with a digit.
var signature = regexp.MustCompile(`(?:^|\n)-- \n[0-9].*\n*\z`)

func (p Patch) split() (message, diff []byte) { return split(p.text) }

func split(text []byte) (message, diff []byte) {
	at := diffStart.FindIndex(text)
	if at == nil {
		return text, nil
	}
	diff = text[at[0]:]
	if end := signature.FindIndex(diff); end != nil {
		diff = diff[:end[0]+1]
	}
	return text[:at[0]], diff
}

// CheckUpstream demands that a patch which names an upstream commit is that
// commit's diff, byte for byte: hunk headers, index lines and all. The diff is
// given in a file beside the patch.
func (p Patch) CheckUpstream() error {
	commit := p.Upstream()
	if commit == "" {
		return nil
	}
	text, err := os.ReadFile(p.Path + UpstreamSuffix)
	if err != nil {
		return fmt.Errorf("%s: it has the trailer Upstream-Commit: %s, so expected that commit's diff in %s: %w", p.Path, commit, p.Path+UpstreamSuffix, err)
	}
	_, own := p.split()
	_, theirs := split(text)
	if bytes.Equal(own, theirs) {
		return nil
	}
	a, b := bytes.SplitAfter(theirs, []byte("\n")), bytes.SplitAfter(own, []byte("\n"))
	for i := range max(len(a), len(b)) {
		if x, y := lineAt(a, i), lineAt(b, i); x != y {
			return fmt.Errorf("%s: it is not the diff of commit %s: line %d of the diff: expected %s, found %s", p.Path, commit, i+1, x, y)
		}
	}
	return nil
}

func lineAt(lines [][]byte, i int) string {
	if i >= len(lines) {
		return "the end"
	}
	return fmt.Sprintf("%q", lines[i])
}
