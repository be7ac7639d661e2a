package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Variable is the environment variable that chooses a mutant by its name.
const Variable = "VMREPLAY_MUTANT"

// A Subject is a controller and the bugs that are planted in it.
type Subject struct {
	// Folder of the code that is edited, within the module, and its Package.
	Folder, Package string
	// Variant is the one that has the bugs. Each is looked for in the Stories, one
	// after the other, with at most Budget schedules of each.
	Variant string
	Stories []string
	Budget  int
	Mutants []Mutant
}

// Subjects are all of them. No two mutants have one name.
func Subjects() []Subject { return []Subject{Migrations(), Machines()} }

// A Mutant is one planted bug.
type Mutant struct {
	Name string
	File string // in the controller's folder
	// Old is the text that it replaces, once in the file, and New what it becomes.
	// In New, MUTANT stands for the condition that this mutant is chosen.
	Old, New string
	// Budget, if not 0, is this mutant's own: a search comes to failing requests only
	// after all that deliveries can do.
	Budget int
	// Survives says why no search of these stories finds it, if none does.
	Survives string
}

// before makes a mutant by text that comes before what is there.
func before(name, file, old, text string) Mutant {
	return Mutant{Name: name, File: file, Old: old, New: text + old}
}

// chosen is the file that the overlay adds to a controller.
const chosen = `package %s

import "os"

var mutant = os.Getenv("` + Variable + `")
`

// Overlay writes the edited sources into a folder, and the file for go build's
// -overlay that puts them in place. root is the module's folder.
func Overlay(root, dir string, subjects []Subject) (file string, err error) {
	replace := map[string]string{}
	for _, s := range subjects {
		texts, err := s.edited(root)
		if err != nil {
			return "", err
		}
		texts["mutant.go"] = fmt.Sprintf(chosen, s.Package)
		for name, text := range texts {
			path := filepath.Join(dir, s.Package+"-"+name)
			replace[filepath.Join(root, s.Folder, name)] = path
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				return "", err
			}
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, overlay, 0o644)
}

// edited are the files with mutants, by name.
func (s *Subject) edited(root string) (map[string]string, error) {
	texts := map[string]string{}
	for _, m := range s.Mutants {
		text, read := texts[m.File]
		if !read {
			raw, err := os.ReadFile(filepath.Join(root, s.Folder, m.File))
			if err != nil {
				return nil, err
			}
			text = string(raw)
		}
		if n := strings.Count(text, m.Old); n != 1 {
			return nil, fmt.Errorf("mutant %s: expected its text once in %s, found it %d times:\n%s", m.Name, m.File, n, m.Old)
		}
		texts[m.File] = strings.Replace(text, m.Old, strings.ReplaceAll(m.New, "MUTANT", "mutant == "+strconv.Quote(m.Name)), 1)
	}
	return texts, nil
}
