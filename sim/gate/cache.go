package gate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// What the cache holds at most. A binary takes some 20 to 100 MB, so these are some
// sets of patches of some trees; the files that overlays name are small, and only
// read while a binary is made.
const (
	keepBinaries = 64
	keepBytes    = 4 << 30 // of binaries
	keepFor      = 30 * 24 * time.Hour
)

// A cache is a folder with binaries, and with the files that overlays name.
type cache struct{ dir string }

// openCache opens the cache of the user, or the one in a folder.
func openCache(dir string) (*cache, error) {
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("there is no folder for caches: set XDG_CACHE_HOME or HOME: %w", err)
		}
		dir = filepath.Join(base, "vmreplay", "gate")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	return &cache{dir}, errors.Join(os.MkdirAll(filepath.Join(dir, "bin"), 0o755), os.MkdirAll(filepath.Join(dir, "src"), 0o755))
}

// binary gives the binary of a key, which create makes where it is not there.
// Of several processes that want it, one makes it.
func (c *cache) binary(key string, create func(path string) error) (path string, made bool, err error) {
	path = filepath.Join(c.dir, "bin", key)
	unlock, err := c.lock()
	if err != nil {
		return "", false, err
	}
	defer unlock()
	now := time.Now() // when an entry was last used, for prune
	if err := os.Chtimes(path, now, now); err == nil {
		return path, false, nil
	}
	fresh := path + ".new"
	if err := create(fresh); err != nil {
		return "", false, err
	}
	if err := os.Rename(fresh, path); err != nil {
		return "", false, err
	}
	return path, true, c.prune()
}

// lock waits for other processes that build.
func (c *cache) lock() (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(c.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return func() { f.Close() }, nil
}

// prune removes what was not used for long, and of the binaries, beyond a number
// and a size, those that were not used for longest. It is called with the lock held.
func (c *cache) prune() error {
	oldest := time.Now().Add(-keepFor)
	sources, err := c.newestFirst("src")
	if err != nil {
		return err
	}
	for _, f := range sources {
		if f.ModTime().Before(oldest) {
			err = errors.Join(err, os.Remove(filepath.Join(c.dir, "src", f.Name())))
		}
	}
	binaries, problem := c.newestFirst("bin")
	err = errors.Join(err, problem)
	var size int64
	for i, f := range binaries {
		size += f.Size()
		// The newest was made just now, and is about to be run.
		if i > 0 && (i >= keepBinaries || size > keepBytes || f.ModTime().Before(oldest)) {
			err = errors.Join(err, os.Remove(filepath.Join(c.dir, "bin", f.Name())))
		}
	}
	return err
}

// newestFirst lists the files of a folder of the cache, the last used one first.
func (c *cache) newestFirst(folder string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(filepath.Join(c.dir, folder))
	if err != nil {
		return nil, err
	}
	var all []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	return all, nil
}

// file gives a file with some content. Its path follows from name and content, so
// that the compiler's own cache knows it again.
func (c *cache) file(name string, content []byte) (string, error) {
	sum := sha256.Sum256(content)
	path := filepath.Join(c.dir, "src", hex.EncodeToString(sum[:16])+"-"+name)
	if have, err := os.ReadFile(path); err == nil && sha256.Sum256(have) == sum {
		now := time.Now() // when it was last used, for prune
		return path, os.Chtimes(path, now, now)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return path, os.Rename(f.Name(), path)
}
