package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Create writes a file that is not there yet, and never replaces one. After an
// error there is no file. It makes no folder: a path whose folder is missing is
// most probably misspelt.
func Create(path string, data []byte) error {
	// O_EXCL: that the file is not there is found out and made sure in one step.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is there already: nothing was written", path)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s cannot be written: there is no folder %s", path, filepath.Dir(path))
	case err != nil:
		return fmt.Errorf("%s cannot be written: %w", path, reason(err))
	}
	if err := fill(f, data); err != nil {
		return errors.Join(fmt.Errorf("%s was not written: %w", path, reason(err)), os.Remove(path))
	}
	return nil
}

// Folder makes a folder if it is missing.
func Folder(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return fmt.Errorf("the folder %s cannot be made: %w", path, reason(err))
	}
	return nil
}

// CheckFolder tells whether a folder is there, or can be made, and takes files. It
// leaves nothing behind.
func CheckFolder(path string) error {
	var made []string // the deepest first
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, at)
	}
	err := tryFolder(path)
	for _, folder := range made {
		if e := os.Remove(folder); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

func tryFolder(path string) error {
	if err := Folder(path); err != nil {
		return err
	}
	f, err := os.CreateTemp(path, ".*")
	if err != nil {
		return fmt.Errorf("the folder %s cannot be written to: %w", path, reason(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
