package gate

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The tests build a module of a few lines, without dependencies: what is under
// test is what happens to a tree, and not what is in it.
const (
	tinyMod = "module tiny.example\n\ngo 1.22\n"

	tinyCode = `package ctl

// First says what is done first.
func First() string {
	return "nothing"
}

// Second says what is done then.
func Second() string {
	return "nothing"
}

// Third says what is done in the end.
func Third() string {
	return "nothing"
}
`

	tinyBinding = `package ctl

import (
	"context"
	"testing"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

func TestBinding(t *testing.T) {
	lockstep.Serve(t, map[string]lockstep.Program{"p": func(ctx context.Context, env *lockstep.Env) error {
		env.Note("tiny", First(), Second(), Third())
		<-ctx.Done()
		return nil
	}})
}
`

	firstPatch = `diff --git a/ctl/ctl.go b/ctl/ctl.go
--- a/ctl/ctl.go
+++ b/ctl/ctl.go
@@ -2,7 +2,7 @@ package ctl
 
 // First says what is done first.
 func First() string {
-	return "nothing"
+	return "first"
 }
 
 // Second says what is done then.
`

	secondPatch = `diff --git a/ctl/ctl.go b/ctl/ctl.go
--- a/ctl/ctl.go
+++ b/ctl/ctl.go
@@ -7,7 +7,7 @@ func First() string {
 
 // Second says what is done then.
 func Second() string {
-	return "nothing"
+	return "second"
 }
 
 // Third says what is done in the end.
`
)

// files writes files and returns their folder; names end in what they hold.
func files(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tiny is a Config of the small module with two patches, in paths with spaces.
func tiny(t *testing.T) Config {
	t.Helper()
	tree := files(t, map[string]string{
		"a tree/go.mod":                    tinyMod,
		"a tree/ctl/ctl.go":                tinyCode,
		"my binding/tiny_test.go.txt":      tinyBinding,
		"the patches/0001-say-first.diff":  firstPatch,
		"the patches/0002-say-second.diff": secondPatch,
	})
	return Config{
		Tree:    Tree{Dir: filepath.Join(tree, "a tree"), Package: "./ctl"},
		Binding: filepath.Join(tree, "my binding/tiny_test.go.txt"),
		Patches: filepath.Join(tree, "the patches/*.diff"),
		Cache:   t.TempDir(),
	}
}

func open(t *testing.T, c Config) *Subject {
	t.Helper()
	s, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// state is what a tree looks like from outside.
func state(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	all := map[string]time.Time{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		all[path] = info.ModTime()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
