package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is wrong with a tree, a binding or a patch is said in the compiler's or
// git's own words, with the set of patches that it is about.
func TestFailures(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, c *Config)
		want   []string
	}{
		{"a tree that does not compile", func(t *testing.T, c *Config) {
			write(t, filepath.Join(c.Tree.Dir, "ctl/broken.go"), "package ctl\n\nvar x int = \"text\"\n")
		}, []string{"patch set none", "broken.go:3:13", "cannot use \"text\""}},
		{"a patch after which it does not compile", func(t *testing.T, c *Config) {
			write(t, filepath.Join(filepath.Dir(c.Patches), "0002-say-second.diff"), strings.Replace(secondPatch, `"second"`, `2`, 1))
		}, []string{"patch set only-say-second", "ctl/ctl.go (patched):10:9", "cannot use 2"}},
		{"a binding that names a missing symbol", func(t *testing.T, c *Config) {
			write(t, c.Binding, strings.Replace(tinyBinding, "Third()", "Fourth()", 1))
		}, []string{"patch set none", "my binding/tiny_test.go.txt:12:39", "undefined: Fourth"}},
		{"a binding of another package", func(t *testing.T, c *Config) {
			write(t, c.Binding, strings.Replace(tinyBinding, "package ctl", "package cli", 1))
		}, []string{"expected package ctl or ctl_test", "found package cli"}},
		{"a binding without a test", func(t *testing.T, c *Config) {
			write(t, c.Binding, strings.Replace(tinyBinding, "TestBinding", "binding", 1))
		}, []string{"expected one test", "found 0"}},
		{"a binding that does not import lockstep", func(t *testing.T, c *Config) {
			write(t, c.Binding, "package ctl\n")
		}, []string{"expected an import of"}},
		{"a binding that is no Go", func(t *testing.T, c *Config) {
			write(t, c.Binding, "package\n")
		}, []string{"tiny_test.go.txt:1:9", "expected 'IDENT'"}},
		{"no binding", func(t *testing.T, c *Config) { c.Binding += ".gone" }, []string{"--binding", "no such file"}},
		{"a binding whose name is taken", func(t *testing.T, c *Config) {
			write(t, filepath.Join(c.Tree.Dir, "ctl/vmreplay_tiny_test.go"), "package ctl\n")
		}, []string{"would hide this file"}},
		{"a binding that fails at its start", func(t *testing.T, c *Config) {
			write(t, c.Binding, tinyBinding+"\nfunc init() { panic(\"bad start\") }\n")
		}, []string{"patch set none", "does not run", "panic: bad start"}},
		{"a package without Go files", func(t *testing.T, c *Config) {
			if err := os.Mkdir(filepath.Join(c.Tree.Dir, "empty"), 0o755); err != nil {
				t.Fatal(err)
			}
			c.Tree.Package = "./empty"
		}, []string{"patch set none", "no Go files"}},
		{"no such package", func(_ *testing.T, c *Config) { c.Tree.Package = "./ctrl" }, []string{"--package", "there is no folder ./ctrl"}},
		{"a package outside", func(_ *testing.T, c *Config) { c.Tree.Package = "../ctl" }, []string{"--package", "expected a folder of the tree"}},
		{"no tree", func(_ *testing.T, c *Config) { c.Tree.Dir += ".gone" }, []string{"--tree"}},
		{"no module", func(t *testing.T, c *Config) {
			if err := os.Remove(filepath.Join(c.Tree.Dir, "go.mod")); err != nil {
				t.Fatal(err)
			}
		}, []string{"go.mod file not found"}},
		{"a patch that does not apply", func(t *testing.T, c *Config) {
			write(t, filepath.Join(filepath.Dir(c.Patches), "0002-say-second.diff"), strings.ReplaceAll(secondPatch, "Second", "Other"))
		}, []string{"the series does not apply", "0002-say-second.diff", "error: patch failed: ctl/ctl.go:7"}},
		{"a patch of a missing file", func(t *testing.T, c *Config) {
			write(t, filepath.Join(filepath.Dir(c.Patches), "0002-say-second.diff"), strings.ReplaceAll(secondPatch, "ctl.go", "other.go"))
		}, []string{"ctl/other.go", "No such file"}},
		{"bad white space", func(t *testing.T, c *Config) {
			write(t, filepath.Join(filepath.Dir(c.Patches), "0002-say-second.diff"), strings.Replace(secondPatch, `"second"`, `"second" `, 1))
		}, []string{"--check --whitespace=error 0002-say-second.diff", "trailing whitespace"}},
		{"a patch that leaves the tree", func(t *testing.T, c *Config) {
			write(t, filepath.Join(filepath.Dir(c.Patches), "0002-say-second.diff"), strings.ReplaceAll(secondPatch, "ctl/ctl.go", "../ctl.go"))
		}, []string{"0002-say-second.diff"}},
		{"a file that is no patch", func(t *testing.T, c *Config) {
			write(t, filepath.Join(filepath.Dir(c.Patches), "0003-x.diff"), "good morning\n")
		}, []string{"0003-x.diff is no patch", "No valid patches"}},
		{"no patches", func(_ *testing.T, c *Config) { c.Patches += ".gone" }, []string{"--patches: no file matches"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := tiny(t)
			test.change(t, &c)
			s, err := Open(c)
			if err == nil {
				err = s.Build(s.Sets)
				s.Close()
			}
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range test.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not in\n%v", w, err)
				}
			}
		})
	}
}
