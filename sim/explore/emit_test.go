package explore

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/vmreplay/vmreplay/fixtures"
)

// A finding's file names fixtures only if they are the same wherever it lies.
func TestBuiltIn(t *testing.T) {
	own := func(changed string) fs.FS {
		all := fstest.MapFS{}
		names, err := fs.Glob(fixtures.FS, "vmim/*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(fixtures.FS, name)
			if err != nil {
				t.Fatal(err)
			}
			if name == changed+".yaml" {
				text = append(text, "# changed\n"...)
			}
			all[name] = &fstest.MapFile{Data: text}
		}
		return all
	}
	for _, c := range []struct {
		name    string
		in      fs.FS
		fixture string
		want    bool
	}{
		{"the module's", fixtures.FS, "vmim/vm-on-node-a", true},
		{"copies", own(""), "vmim/vm-on-node-a", true},
		{"changed", own("vmim/vm-on-node-a"), "vmim/vm-on-node-a", false},
		{"what it includes is changed", own("vmim/two-nodes"), "vmim/vm-on-node-a", false},
		{"not there", own(""), "vmim/other", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := builtIn([]string{c.fixture}, c.in); got != c.want {
				t.Errorf("built in is %v, want %v", got, c.want)
			}
		})
	}
}
