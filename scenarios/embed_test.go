package scenarios_test

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/vmreplay/vmreplay/scenarios"
)

// TestAllAreEmbedded: a file that is deeper in the tree than the pattern of the
// embedding reaches would be missing from the command, and nobody would notice.
func TestAllAreEmbedded(t *testing.T) {
	found := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".yaml") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte("\nkind: Scenario\n")) {
			return err
		}
		found++
		embedded, err := fs.ReadFile(scenarios.FS, name)
		if err != nil || !bytes.Equal(embedded, text) {
			t.Errorf("%s is not embedded: %v", name, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("there is no file of kind Scenario")
	}
}
