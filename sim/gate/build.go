package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A builder makes the test binaries of a tree, one for each set of patches.
type builder struct {
	tree    *Tree
	binding *binding
	cache   *cache
	key     string // of the tree
	module  *module
}

// build returns the binary for a set of patches, and whether it had to be made.
func (b *builder) build(set Set, series []Patch) (binary string, made bool, err error) {
	h := sha256.New()
	fmt.Fprintln(h, b.key)
	for _, p := range set.patches(series) {
		fmt.Fprintf(h, "%x\n", sha256.Sum256(p.text))
	}
	key := hex.EncodeToString(h.Sum(nil)[:16])
	binary, made, err = b.cache.binary(key, func(out string) error { return b.make(set, series, out) })
	if err != nil {
		return "", false, fmt.Errorf("patch set %s: %w", set.Name, err)
	}
	return binary, made, nil
}

func (b *builder) make(set Set, series []Patch, out string) error {
	changes, err := apply(b.tree.Dir, set.patches(series))
	if err != nil {
		return err
	}
	if b.module == nil {
		if b.module, err = b.tree.find(); err != nil {
			return err
		}
	}
	if err := b.fits(); err != nil {
		return err
	}
	overlay, names, err := b.overlay(changes)
	if err != nil {
		return err
	}
	args := []string{"test", "-c", "-vet=off", "-overlay=" + overlay, "-o", out}
	if !b.strips() {
		args = append(args, "-ldflags=-s -w") // stacks do not need the symbols; linking takes half as long without
	}
	_, err = b.tree.run(append(append(args, b.tree.buildFlags()...), ".")...)
	if err != nil {
		return errors.New(rename(err.Error(), names))
	}
	return nil
}

// rename puts the names of the tree's files where the compiler names the files
// that stand for them. It does so at the beginning of lines.
func rename(text string, names map[string]string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for file, name := range names {
			if at := strings.Index(line, file); at >= 0 {
				lines[i] = name + line[at+len(file):]
			}
		}
	}
	return strings.Join(lines, "\n")
}

// strips says whether the user has linker flags of his own.
func (b *builder) strips() bool {
	return slices.ContainsFunc(append(strings.Fields(os.Getenv("GOFLAGS")), b.tree.Flags...), func(flag string) bool {
		return strings.HasPrefix(strings.TrimLeft(flag, "-"), "ldflags")
	})
}

// fits demands that the binding is of the controller's package.
func (b *builder) fits() error {
	if name := b.module.packageName; b.binding.pkg != name && b.binding.pkg != name+"_test" {
		return fmt.Errorf("%s: expected package %s or %s_test, as in %s, found package %s", b.binding.path, name, name, b.tree.Package, b.binding.pkg)
	}
	return nil
}

// overlay writes the files that the tree is to have, and the list of them that go
// reads. names says how those files are to be called in messages, by their name
// in the cache.
func (b *builder) overlay(changes []change) (list string, names map[string]string, err error) {
	replace := map[string]string{}
	names = map[string]string{}
	put := func(path string, content []byte, name string) error {
		file, err := b.cache.file(filepath.Base(path), content)
		replace[path], names[filepath.Base(file)] = file, name
		return err
	}
	for _, c := range changes {
		path := filepath.Join(b.tree.Dir, c.path)
		if c.deleted {
			replace[path] = ""
			continue
		}
		if err := put(path, c.content, c.path+" (patched)"); err != nil {
			return "", nil, err
		}
	}
	files, err := lockstepFiles()
	if err != nil {
		return "", nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := put(filepath.Join(b.module.dir, lockstepFolder, name), files[name], lockstepPath+"/"+name); err != nil {
			return "", nil, err
		}
	}
	path := filepath.Join(b.module.packageDir, b.binding.fileName())
	if _, err := os.Stat(path); err == nil {
		return "", nil, fmt.Errorf("%s: the binding would hide this file of the tree: give the binding another name", path)
	}
	if err := put(path, b.binding.in(b.module.path), b.binding.path); err != nil {
		return "", nil, err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", nil, err
	}
	list, err = b.cache.file("overlay.json", text)
	return list, names, err
}
