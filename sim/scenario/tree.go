package scenario

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/expr"
)

// LoadTree reads the scenario of a file, or all scenarios of a folder and those
// below it, sorted by path. Folders named "fixtures", and those whose names
// start with "." or "_", hold none. A folder without scenarios is an error. The
// scenarios that could be read are returned beside an Errors for the others.
func LoadTree(fsys fs.FS, root string, fixtures fs.FS, cat Catalog, env *expr.Env) ([]*Scenario, error) {
	files, err := scenarioFiles(fsys, root)
	if err != nil {
		return nil, err
	}
	sources := make([]Source, len(files))
	for i, file := range files {
		sources[i] = Source{FS: fsys, Name: file, Fixtures: fixtures}
	}
	return LoadAll(sources, cat, env)
}

// LoadAll reads the scenarios of several files. It returns those that could be
// read, in the order given, beside an Errors for the others.
func LoadAll(sources []Source, cat Catalog, env *expr.Env) ([]*Scenario, error) {
	var all []*Scenario
	var errs Errors
	for _, source := range sources {
		s, err := Load(source.FS, source.Name, source.Fixtures, cat, env)
		if err != nil {
			problems, _ := errors.AsType[Errors](err)
			errs = append(errs, problems...)
			continue
		}
		all = append(all, s)
	}
	return all, errs.OrNil()
}

// scenarioFiles are the files of a folder and those below it, sorted; or the one
// file that root is.
func scenarioFiles(fsys fs.FS, root string) ([]string, error) {
	if info, err := fs.Stat(fsys, root); err != nil || !info.IsDir() {
		return []string{root}, nil //nolint:nilerr // Load reads the file, and says what is wrong with it
	}
	var files []string
	var errs Errors
	report := func(name, message string) {
		at := Pos{File: display(fsys, name), Line: 1, Column: 1}
		errs = append(errs, &Error{Pos: at, Message: message})
	}
	walk := func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			report(name, "the folder cannot be read: "+err.Error())
		case entry.IsDir() && name != root && isNoScenarioFolder(entry.Name()):
			return fs.SkipDir
		case entry.IsDir():
		case path.Ext(name) == ".yaml":
			files = append(files, name)
		case path.Ext(name) == ".yml":
			report(name, "scenarios are files that end in .yaml: rename it")
		}
		return nil
	}
	_ = fs.WalkDir(fsys, root, walk) // walk itself reports what goes wrong
	if len(files) == 0 && len(errs) == 0 {
		report(root, "there is no scenario in this folder: expected a file that ends in .yaml")
	}
	slices.Sort(files)
	return files, errs.OrNil()
}

func isNoScenarioFolder(name string) bool {
	return name == "fixtures" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}
