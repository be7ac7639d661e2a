package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// oldestGo is the first version of Go that has testing/synctest.
const oldestGo = "go1.25"

// A Tree is a checkout of a controller: the user's own, and only ever read.
type Tree struct {
	// Dir is the root that patches apply to.
	Dir string
	// Package is the controller's package, a path within Dir: "./pkg/controller".
	Package string
	// ModFile replaces go.mod, as go build -modfile does; a path within Dir.
	ModFile string
	// Flags are build flags for the go command: "-tags=integration".
	Flags []string

	// readOnly says that the user's flags let go change go.mod and go.sum.
	readOnly bool
}

// module is the part of a go list that the overlay needs.
type module struct {
	packageDir, packageName, importPath string
	path, dir                           string
}

func (t *Tree) packageDir() string { return filepath.Join(t.Dir, t.Package) }

// check demands that the tree and its package are there.
func (t *Tree) check() error {
	var err error
	if t.Dir, err = filepath.Abs(t.Dir); err != nil {
		return err
	}
	if info, err := os.Stat(t.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("--tree: expected a folder with a controller's source, found none at %s", t.Dir)
	}
	if !filepath.IsLocal(t.Package) {
		return fmt.Errorf("--package: expected a folder of the tree, found %q", t.Package)
	}
	if info, err := os.Stat(t.packageDir()); err != nil || !info.IsDir() {
		return fmt.Errorf("--package: there is no folder %s in %s", t.Package, t.Dir)
	}
	if t.ModFile != "" && !filepath.IsAbs(t.ModFile) {
		t.ModFile = filepath.Join(t.Dir, t.ModFile)
	}
	set, err := t.run("env", "GOFLAGS")
	if err != nil {
		return err
	}
	t.readOnly = slices.ContainsFunc(append(strings.Fields(string(set)), t.Flags...), func(flag string) bool {
		return strings.Trim(flag, "-'\"") == "mod=mod"
	})
	return nil
}

// buildFlags are the flags of every go command that looks at packages. The tree is
// only read: where go may mend go.mod by itself, it says what is missing instead.
func (t *Tree) buildFlags() []string {
	flags := slices.Clone(t.Flags)
	if t.ModFile != "" {
		flags = append(flags, "-modfile="+t.ModFile)
	}
	if t.readOnly {
		flags = append(flags, "-mod=readonly")
	}
	return flags
}

// goCommand is a go command in the controller's package. The environment is the
// user's: GOFLAGS, GOTOOLCHAIN, GOWORK and the rest mean what they mean to him.
func (t *Tree) goCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = t.packageDir()
	return cmd
}

// run runs a go command and gives its output; the error has the first lines of
// what it complained about.
func (t *Tree) run(args ...string) ([]byte, error) {
	cmd := t.goCommand(args...)
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go %s in %s:\n%s", args[0], t.packageDir(), firstLines(problem.String(), err))
	}
	return out.Bytes(), nil
}

// find asks go which package and module the controller is in.
func (t *Tree) find() (*module, error) {
	args := append([]string{"list", "-find", "-json=Dir,Name,ImportPath,Module"}, t.buildFlags()...)
	out, err := t.run(append(args, ".")...)
	if err != nil {
		return nil, err
	}
	var found struct {
		Dir, Name, ImportPath string
		Module                *struct{ Path, Dir string }
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return nil, fmt.Errorf("go list in %s: %w", t.packageDir(), err)
	}
	if found.Module == nil {
		return nil, fmt.Errorf("%s: the package is in no module: expected a go.mod in it or above it", t.packageDir())
	}
	return &module{found.Dir, found.Name, found.ImportPath, found.Module.Path, found.Module.Dir}, nil
}

// environment is what of go's environment changes a build, and the version of Go,
// which must have what lockstep needs.
func (t *Tree) environment() (map[string]string, error) {
	out, err := t.run("env", "-json", "GOVERSION", "GOMOD", "GOWORK", "GOFLAGS", "GOEXPERIMENT",
		"GOOS", "GOARCH", "GOAMD64", "GOARM64", "CGO_ENABLED", "CGO_CFLAGS", "CGO_LDFLAGS", "GOFIPS140")
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, fmt.Errorf("go env in %s: %w", t.packageDir(), err)
	}
	found, _, _ := strings.Cut(env["GOVERSION"], " ")
	if version.IsValid(found) && version.Compare(found, oldestGo) < 0 {
		return nil, fmt.Errorf("%s: expected %s or later, because virtual time needs testing/synctest, found %s: GOTOOLCHAIN chooses another one", t.Dir, oldestGo, found)
	}
	return env, nil
}
