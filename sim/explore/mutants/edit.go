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

// controller is the folder of the code that is edited, within the module.
const controller = "sim/controllers/vmim"

// A Mutant is one planted bug.
type Mutant struct {
	Name string
	File string // in the controller's folder
	// Old is the text that it replaces, once in the file, and New what it becomes.
	// In New, MUTANT stands for the condition that this mutant is chosen.
	Old, New string
	// Survives says why no search of these stories finds it, if none does.
	Survives string
}

// chosen is the file that the overlay adds to the controller.
const chosen = `package vmim

import "os"

var mutant = os.Getenv("` + Variable + `")
`

// Overlay writes the edited sources into a folder, and the file for go build's
// -overlay that puts them in place. root is the module's folder.
func Overlay(root, dir string, all []Mutant) (file string, err error) {
	replace := map[string]string{}
	put := func(name, text string) error {
		path := filepath.Join(dir, name)
		replace[filepath.Join(root, controller, name)] = path
		return os.WriteFile(path, []byte(text), 0o644)
	}
	texts := map[string]string{}
	for _, m := range all {
		text, read := texts[m.File]
		if !read {
			raw, err := os.ReadFile(filepath.Join(root, controller, m.File))
			if err != nil {
				return "", err
			}
			text = string(raw)
		}
		if n := strings.Count(text, m.Old); n != 1 {
			return "", fmt.Errorf("mutant %s: expected its text once in %s, found it %d times:\n%s", m.Name, m.File, n, m.Old)
		}
		texts[m.File] = strings.Replace(text, m.Old, strings.ReplaceAll(m.New, "MUTANT", "mutant == "+strconv.Quote(m.Name)), 1)
	}
	if err := put("mutant.go", chosen); err != nil {
		return "", err
	}
	for name, text := range texts {
		if err := put(name, text); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, overlay, 0o644)
}
