package scenario

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// layers are file systems of which an earlier one hides the files of a later.
type layers []fs.FS

func (l layers) Open(name string) (fs.File, error) {
	layer, err := l.holding(name)
	if err != nil {
		return nil, err
	}
	return layer.Open(name)
}

func (l layers) Stat(name string) (fs.FileInfo, error) {
	layer, err := l.holding(name)
	if err != nil {
		return nil, err
	}
	return fs.Stat(layer, name)
}

func (l layers) Display(name string) string {
	layer, err := l.holding(name)
	if err != nil {
		return name
	}
	return display(layer, name)
}

// holding is the first layer that has the file, or that has one it must not
// give: a later layer never stands in for that.
func (l layers) holding(name string) (fs.FS, error) {
	for _, layer := range l {
		_, err := fs.Stat(layer, name)
		if err == nil {
			return layer, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

var errOutside = errors.New("the path leads outside the scenario's tree")

// confined is the folder "fixtures" of a scenario's tree. Links may lead to
// anything in the tree, but not out of it.
type confined struct {
	tree  string // absolute
	shown string // how errors call the folder
}

func (c confined) Open(name string) (fs.File, error) {
	var f *os.File
	err := c.within(name, func(root *os.Root, path string) (err error) {
		f, err = root.Open(path)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Stat is there so that a pipe is recognised without being opened.
func (c confined) Stat(name string) (fs.FileInfo, error) {
	var info fs.FileInfo
	err := c.within(name, func(root *os.Root, path string) (err error) {
		info, err = root.Stat(path)
		return err
	})
	return info, err
}

func (c confined) within(name string, do func(root *os.Root, path string) error) error {
	if !fs.ValidPath(name) {
		return &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	root, err := os.OpenRoot(c.tree)
	if err != nil {
		return err
	}
	defer root.Close()
	inside := path.Join("fixtures", name)
	err = do(root, inside)
	if err == nil || errors.Is(err, fs.ErrPermission) {
		return err
	}
	// A root does not say in a way that can be tested that it refused to leave
	// the tree. It did if the file is there for everybody else.
	if _, statErr := os.Stat(filepath.Join(c.tree, filepath.FromSlash(inside))); statErr == nil {
		return &fs.PathError{Op: "open", Path: name, Err: errOutside}
	}
	return err
}

func (c confined) Display(name string) string {
	return filepath.Join(c.shown, filepath.FromSlash(name))
}
