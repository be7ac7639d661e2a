package scenario

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/vmreplay/vmreplay/fixtures"
	"github.com/vmreplay/vmreplay/scenarios"
)

// A Source is a file with a scenario and where its fixtures are.
type Source struct {
	FS       fs.FS
	Name     string // within FS
	Fixtures fs.FS
}

// Path is how reports and positions name the file.
func (s Source) Path() string { return display(s.FS, s.Name) }

// OpenPaths finds the scenarios of a command line: each path is a file or a
// folder on disk. A scenario's tree is the nearest folder above it that holds a
// folder "fixtures"; its fixtures are looked for there first, then in the
// embedded pack. Without paths the scenarios are those of the embedded pack; a
// path that is not on disk may also name a part of it, as reports print it:
// "scenarios/vmim/same-node.yaml". The error is an Errors.
func OpenPaths(paths []string) ([]Source, error) {
	if len(paths) == 0 {
		return openEmbedded(".")
	}
	var all []Source
	var errs Errors
	seen := map[string]bool{}
	for _, p := range paths {
		folder, name := filepath.Split(p)
		switch info, err := os.Stat(p); {
		case err == nil && info.IsDir():
			folder, name = p, "."
		case errors.Is(err, fs.ErrNotExist) && isEmbedded(p):
			built, err := openEmbedded(packName(p))
			problems, _ := errors.AsType[Errors](err)
			errs = append(errs, problems...)
			all = append(all, built...)
			continue
		}
		onDisk := disk{filepath.Clean(folder)}
		sources, err := open(onDisk, name, func(file string) fs.FS { return fixturesFor(onDisk.path(file)) })
		problems, _ := errors.AsType[Errors](err)
		errs = append(errs, problems...)
		for _, s := range sources {
			if id := absolute(onDisk.path(s.Name)); !seen[id] {
				seen[id] = true
				all = append(all, s)
			}
		}
	}
	return all, errs.OrNil()
}

// pack is the folder of the embedded scenarios in the project.
const pack = "scenarios"

func openEmbedded(name string) ([]Source, error) {
	return open(embedded{scenarios.FS, pack}, name, func(string) fs.FS { return embeddedFixtures })
}

// packName is a path within the embedded pack, or "" if it cannot be one.
func packName(p string) string {
	p = filepath.ToSlash(filepath.Clean(p))
	if p == pack {
		return "."
	}
	name, _ := strings.CutPrefix(p, pack+"/")
	if name == p || !fs.ValidPath(name) {
		return ""
	}
	return name
}

func isEmbedded(p string) bool {
	name := packName(p)
	if name == "" {
		return false
	}
	_, err := fs.Stat(scenarios.FS, name)
	return err == nil
}

func open(fsys fs.FS, root string, fixtures func(file string) fs.FS) ([]Source, error) {
	files, err := scenarioFiles(fsys, root)
	sources := make([]Source, len(files))
	for i, file := range files {
		sources[i] = Source{FS: fsys, Name: file, Fixtures: fixtures(file)}
	}
	return sources, err
}

var embeddedFixtures = embedded{fixtures.FS, "fixtures"}

// fixturesFor are the fixtures that the scenario in a file may name.
func fixturesFor(file string) fs.FS {
	for dir := filepath.Dir(absolute(file)); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "fixtures")); err == nil && info.IsDir() {
			shown := filepath.Join(relativeTo(file, dir), "fixtures")
			return layers{confined{tree: dir, shown: shown}, embeddedFixtures}
		}
		if dir == filepath.Dir(dir) {
			return embeddedFixtures
		}
	}
}

// relativeTo is a folder above a file, written as the file's name is written: it
// stays relative to the current folder if that one is.
func relativeTo(file, dir string) string {
	if filepath.IsAbs(file) {
		return dir
	}
	relative, err := filepath.Rel(absolute("."), dir)
	if err != nil {
		return dir
	}
	return relative
}

// absolute is the path from the root of the disk. Where the current folder is
// not known any more, it is the path as it is.
func absolute(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		return abs
	}
	return p
}

// disk is a folder on disk whose files are shown with the path that was typed.
type disk struct{ folder string }

func (d disk) path(name string) string { return filepath.Join(d.folder, filepath.FromSlash(name)) }

func (d disk) Open(name string) (fs.File, error)     { return os.DirFS(d.folder).Open(name) }
func (d disk) Stat(name string) (fs.FileInfo, error) { return fs.Stat(os.DirFS(d.folder), name) }
func (d disk) ReadDir(name string) ([]fs.DirEntry, error) {
	return fs.ReadDir(os.DirFS(d.folder), name)
}
func (d disk) Display(name string) string { return d.path(name) }

// embedded is a part of the pack that is built in, shown with its path in the
// project.
type embedded struct {
	fs.FS
	folder string
}

func (e embedded) Display(name string) string { return path.Join(e.folder, name) }
