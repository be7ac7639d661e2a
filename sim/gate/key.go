package gate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// inputs are the endings of the files that can change a binary by themselves.
var inputs = []string{".go", ".mod", ".sum", ".work", ".s", ".S", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".m", ".f", ".swig", ".syso"}

// treeKey names the state of everything that a binary is made of, except for the
// patches: two states with one key give the same binary. Where the tree is on the
// disk does not count, so that a fresh checkout finds what another one built.
func treeKey(t *Tree, b *binding) (string, error) {
	env, err := t.environment()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(env)) {
		value := env[k]
		if k == "GOMOD" || k == "GOWORK" {
			value = t.relative(value)
		}
		fmt.Fprintf(h, "%s=%q\n", k, value)
	}
	fmt.Fprintf(h, "package %q flags %q modfile %q\n", t.Package, t.Flags, t.relative(t.ModFile))
	if err := hashLockstep(h); err != nil {
		return "", err
	}
	fmt.Fprintf(h, "binding %q %x\n", b.fileName(), sha256.Sum256(b.text))
	roots, err := t.roots(env)
	if err != nil {
		return "", err
	}
	for _, root := range roots {
		if err := hashFolder(h, root); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// relative is a file's path as seen from the tree.
func (t *Tree) relative(path string) string {
	if rel, err := filepath.Rel(t.Dir, path); err == nil && filepath.IsAbs(path) {
		return filepath.ToSlash(rel)
	}
	return path
}

// roots are the folders that hold source which go compiles: the tree, and the
// modules outside of it that go.mod or go.work takes from the disk.
func (t *Tree) roots(env map[string]string) ([]string, error) {
	roots := []string{t.Dir}
	add := func(base, path string) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(base, path)
		}
		if rel, err := filepath.Rel(t.Dir, path); err != nil || !filepath.IsLocal(rel) {
			roots = append(roots, path)
		}
	}
	if mod := env["GOMOD"]; mod != "" && mod != os.DevNull {
		file := mod
		if t.ModFile != "" {
			file = t.ModFile
		}
		if err := t.replaced(filepath.Dir(mod), file, add); err != nil {
			return nil, err
		}
	}
	if work := env["GOWORK"]; work != "" && work != "off" {
		if err := t.workspace(work, add); err != nil {
			return nil, err
		}
	}
	return roots, nil
}

// replaced adds the folders that stand for modules.
func (t *Tree) replaced(base, file string, add func(base, path string)) error {
	out, err := t.run("mod", "edit", "-json", file)
	if err != nil {
		return err
	}
	var mod struct {
		Replace []struct {
			New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, r := range mod.Replace {
		if r.New.Version == "" {
			add(base, r.New.Path)
		}
	}
	return nil
}

// workspace adds the modules of a workspace.
func (t *Tree) workspace(file string, add func(base, path string)) error {
	out, err := t.run("work", "edit", "-json", file)
	if err != nil {
		return err
	}
	var work struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal(out, &work); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, u := range work.Use {
		add(filepath.Dir(file), u.DiskPath)
	}
	return nil
}

// hashFolder adds the files of a folder that can change a binary. Where Go files
// embed others, all files of their folder count.
func hashFolder(h io.Writer, root string) error {
	var embedding, others []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		case !slices.Contains(inputs, filepath.Ext(path)) && d.Name() != "modules.txt":
			others = append(others, path)
			return nil
		}
		content, err := hashFile(h, root, path)
		if bytes.Contains(content, []byte("//go:embed ")) {
			embedding = append(embedding, filepath.Dir(path)+string(filepath.Separator))
		}
		return err
	})
	for _, path := range others {
		if err == nil && slices.ContainsFunc(embedding, func(dir string) bool { return strings.HasPrefix(path, dir) }) {
			_, err = hashFile(h, root, path)
		}
	}
	return err
}

func hashFile(h io.Writer, root, path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(root, path)
	fmt.Fprintf(h, "%q %x\n", filepath.ToSlash(rel), sha256.Sum256(content))
	return content, err
}

func hashLockstep(h io.Writer) error {
	files, err := lockstepFiles()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "lockstep %q %x\n", name, sha256.Sum256(files[name]))
	}
	return nil
}

// lockstepFiles are the files of lockstep that a tree gets.
func lockstepFiles() (map[string][]byte, error) {
	entries, err := lockstep.Source.ReadDir(".")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") || e.Name() == "source.go" {
			continue
		}
		text, err := lockstep.Source.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		// The line lifts the file to the language that it is written in, whichever
		// version the tree's go.mod names.
		files[e.Name()] = append([]byte("//go:build "+oldestGo+"\n\n"), text...)
	}
	return files, nil
}
