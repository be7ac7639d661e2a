package gate

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// aged puts a file into the cache that was last used some time ago. Its size is
// only declared: it takes no room on the disk.
func aged(t *testing.T, c *cache, name string, size int64, ago time.Duration) {
	t.Helper()
	path := filepath.Join(c.dir, name)
	write(t, path, "")
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	used := time.Now().Add(-ago)
	if err := os.Chtimes(path, used, used); err != nil {
		t.Fatal(err)
	}
}

func TestCacheIsPruned(t *testing.T) {
	const day = 24 * time.Hour
	tests := []struct {
		name string
		fill func(c *cache)
		want []string // besides the binary that is made
	}{
		{"what was used lately stays", func(c *cache) {
			aged(t, c, "bin/a", 1, 29*day)
			aged(t, c, "src/a.go", 1, 29*day)
		}, []string{"bin/a", "src/a.go"}},
		{"what was not used for long goes", func(c *cache) {
			aged(t, c, "bin/a", 1, 31*day)
			aged(t, c, "src/a.go", 1, 31*day)
			aged(t, c, "src/b.go", 1, day)
		}, []string{"src/b.go"}},
		{"what is beyond the size goes, the oldest first", func(c *cache) {
			aged(t, c, "bin/old", keepBytes/2, 2*day)
			aged(t, c, "bin/older", keepBytes/2, 3*day)
			aged(t, c, "bin/oldest", 1, 4*day)
		}, []string{"bin/old"}},
		{"what is beyond the number goes", func(c *cache) {
			for i := range keepBinaries + 3 {
				aged(t, c, fmt.Sprintf("bin/%03d", i), 1, day+time.Duration(i)*time.Minute)
			}
		}, numbered(keepBinaries - 1)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := openCache(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			test.fill(c)
			_, made, err := c.binary("made", func(path string) error { return os.WriteFile(path, []byte("x"), 0o755) })
			if err != nil || !made {
				t.Fatalf("made %v, error %v", made, err)
			}
			var got []string
			for _, folder := range []string{"bin", "src"} {
				files, err := os.ReadDir(filepath.Join(c.dir, folder))
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range files {
					if f.Name() != "made" {
						got = append(got, folder+"/"+f.Name())
					}
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("the cache holds (-want +got):\n%s", diff)
			}
		})
	}
}

func numbered(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("bin/%03d", i))
	}
	return all
}

// A source that is used again is as good as new.
func TestCacheKeepsWhatIsUsed(t *testing.T) {
	c, err := openCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path, err := c.file("a.go", []byte("package a\n"))
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * keepFor)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	again, err := c.file("a.go", []byte("package a\n"))
	if err != nil || again != path {
		t.Fatalf("got %s, %v, want %s", again, err, path)
	}
	if err := c.prune(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
