package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
	overlay, err := b.overlay(changes)
	if err != nil {
		return err
	}
	args := []string{"test", "-c", "-vet=off", "-overlay=" + overlay, "-o", out}
	if !b.strips() {
		args = append(args, "-ldflags=-s -w") // stacks do not need the symbols; linking takes half as long without
	}
	_, err = b.tree.run(append(append(args, b.tree.buildFlags()...), ".")...)
	return err
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

// overlay writes the files that the tree is to have, and the list that go reads.
func (b *builder) overlay(changes []change) (string, error) {
	replace := map[string]string{}
	put := func(path string, content []byte) error {
		file, err := b.cache.file(filepath.Base(path), content)
		replace[path] = file
		return err
	}
	for _, c := range changes {
		path := filepath.Join(b.tree.Dir, c.path)
		if c.deleted {
			replace[path] = ""
			continue
		}
		if err := put(path, c.content); err != nil {
			return "", err
		}
	}
	files, err := lockstepFiles()
	if err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := put(filepath.Join(b.module.dir, lockstepFolder, name), files[name]); err != nil {
			return "", err
		}
	}
	path := filepath.Join(b.module.packageDir, b.binding.fileName())
	if _, err := os.Stat(path); err == nil {
		return "", fmt.Errorf("%s: the binding would hide this file of the tree: give the binding another name", path)
	}
	if err := put(path, b.binding.in(b.module.path)); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	return b.cache.file("overlay.json", list)
}
