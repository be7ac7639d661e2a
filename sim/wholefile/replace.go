package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a file as a whole: whoever reads it meanwhile sees the old one
// or the new one, and after an error the old one is still there.
func Replace(path string, data []byte) error {
	path, err := place(path)
	if err != nil {
		return err
	}
	f, err := beside(path)
	if err != nil {
		return err
	}
	err = fill(f, data)
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s was not written: %w", path, reason(err)), os.Remove(f.Name()))
	}
	return nil
}

// fill writes all of an open file and closes it. It keeps the first error: the
// later ones follow from it.
func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// beside makes a file in the folder of another.
func beside(path string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", path, reason(err))
	}
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		return nil, errors.Join(fmt.Errorf("%s cannot be written: %w", path, reason(err)), os.Remove(f.Name()))
	}
	return f, nil
}

// place follows links and refuses what a file cannot take the place of.
func place(path string) (string, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", fmt.Errorf("%s cannot be written: %w", path, reason(err))
	case info.IsDir():
		return "", fmt.Errorf("%s is a folder: expected the path of a file", path)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no regular file: it would be replaced", path)
	}
	return path, nil
}

// Check tells whether Replace could write a file, without touching what is
// there. It makes the folder if that is missing.
func Check(path string) error {
	path, err := place(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("the folder of %s cannot be made: %w", path, reason(err))
	}
	f, err := beside(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// reason is an error of the system without the path, which the message has.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
