package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// said is what the tiny controller says of itself under a set.
func said(t *testing.T, s *Subject, set string) string {
	t.Helper()
	engine := &listener{}
	rep := s.Runner(set)(func(time.Time) lockstep.Engine { return engine }, lockstep.Options{Horizon: time.Minute})
	if !rep.Clean() {
		t.Fatalf("set %s: the run ended badly: %+v", set, rep)
	}
	return engine.said
}

// A listener starts the process, hears one note, and ends the run.
type listener struct{ said string }

func (l *listener) Quiesced(_ time.Duration, arrivals []lockstep.Arrival) lockstep.Turn {
	if len(arrivals) == 0 {
		return lockstep.Turn{Actions: []lockstep.Action{{Kind: lockstep.Start, Process: "p"}}}
	}
	l.said = strings.Join([]string{arrivals[0].Op, arrivals[0].Key, arrivals[0].Text}, " ")
	return lockstep.Turn{Done: true}
}

// Every set runs its own code; a second time nothing is built; and the tree looks
// as it did before.
func TestSubjectRunsEverySet(t *testing.T) {
	c := tiny(t)
	before := state(t, c.Tree.Dir)
	s := open(t, c)
	if err := s.Build(s.Sets); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, set := range s.Sets {
		got[set.Name] = said(t, s, set.Name)
	}
	want := map[string]string{
		"none":            "nothing nothing nothing",
		"only-say-first":  "first nothing nothing",
		"only-say-second": "nothing second nothing",
		"all":             "first second nothing",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the sets differ (-want +got):\n%s", diff)
	}
	if s.Built != 4 {
		t.Errorf("%d binaries were built, want 4", s.Built)
	}
	again := open(t, c)
	if err := again.Build(again.Sets); err != nil || again.Built != 0 {
		t.Errorf("error %v, %d binaries were built the second time, want 0", err, again.Built)
	}
	if diff := cmp.Diff(before, state(t, c.Tree.Dir)); diff != "" {
		t.Errorf("the tree was changed (-before +after):\n%s", diff)
	}
}

// Whatever a binary is made of, a change of it makes another binary.
func TestChangesAreBuilt(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, c *Config)
		built  int
	}{
		{"nothing", func(*testing.T, *Config) {}, 0},
		{"a file of the package", func(t *testing.T, c *Config) {
			write(t, filepath.Join(c.Tree.Dir, "ctl/more.go"), "package ctl\n")
		}, 1},
		{"a file that is no source", func(t *testing.T, c *Config) {
			write(t, filepath.Join(c.Tree.Dir, "ctl/README.md"), "# ctl\n")
		}, 0},
		{"a patch", func(t *testing.T, c *Config) {
			write(t, filepath.Join(filepath.Dir(c.Patches), "0002-say-second.diff"), strings.Replace(secondPatch, `"second"`, `"later"`, 1))
		}, 1},
		{"the binding", func(t *testing.T, c *Config) { write(t, c.Binding, tinyBinding+"\nvar _ = 1\n") }, 1},
		{"a build flag", func(_ *testing.T, c *Config) { c.Tree.Flags = []string{"-tags=special"} }, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := tiny(t)
			c.Kinds = []string{All}
			first := open(t, c)
			if err := first.Build(first.Sets); err != nil {
				t.Fatal(err)
			}
			test.change(t, &c)
			second := open(t, c)
			if err := second.Build(second.Sets); err != nil {
				t.Fatal(err)
			}
			if second.Built != test.built {
				t.Errorf("%d binaries were built, want %d", second.Built, test.built)
			}
		})
	}
}

// What is embedded is compiled in, whatever the files are called.
func TestEmbeddedFilesAreBuilt(t *testing.T) {
	c := tiny(t)
	c.Kinds, c.Patches = []string{None}, ""
	write(t, filepath.Join(c.Tree.Dir, "ctl/embed.go"), "package ctl\n\nimport _ \"embed\"\n\n//go:embed text.txt\nvar Text string\n")
	write(t, filepath.Join(c.Tree.Dir, "ctl/text.txt"), "one")
	for i, text := range []string{"one", "two"} {
		write(t, filepath.Join(c.Tree.Dir, "ctl/text.txt"), text)
		s := open(t, c)
		if err := s.Build(s.Sets); err != nil || s.Built != 1 {
			t.Errorf("time %d: error %v, %d binaries were built, want 1", i+1, err, s.Built)
		}
	}
}

// The tree's own way to be built is kept.
func TestWaysToBuild(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, c *Config)
		want   string
	}{
		{"tags", func(t *testing.T, c *Config) {
			write(t, filepath.Join(c.Tree.Dir, "ctl/tagged.go"), "//go:build special\n\npackage ctl\n\nfunc init() { third = \"tagged\" }\n")
			write(t, filepath.Join(c.Tree.Dir, "ctl/third.go"), "package ctl\n\nvar third = \"plain\"\n")
			write(t, c.Binding, strings.Replace(tinyBinding, "Third()", "third", 1))
			c.Tree.Flags = []string{"-tags=special"}
		}, "first second tagged"},
		{"modfile", func(t *testing.T, c *Config) {
			write(t, filepath.Join(c.Tree.Dir, "other.mod"), "module tiny.example\n\ngo 1.25\n")
			write(t, filepath.Join(c.Tree.Dir, "go.mod"), "this is no go.mod\n")
			c.Tree.ModFile = "other.mod"
		}, "first second nothing"},
		{"go may mend go.mod", func(t *testing.T, c *Config) {
			// go would move the requirement to those that are not indirect.
			write(t, filepath.Join(c.Tree.Dir, "go.mod"), tinyMod+"\nrequire lib.example v1.0.0 // indirect\n\nreplace lib.example => ./lib\n")
			write(t, filepath.Join(c.Tree.Dir, "lib/go.mod"), "module lib.example\n\ngo 1.22\n")
			write(t, filepath.Join(c.Tree.Dir, "lib/lib.go"), "package lib\n\nconst Name = \"lib\"\n")
			write(t, c.Binding, strings.Replace(strings.Replace(tinyBinding, "Third()", "lib.Name", 1), "\"testing\"\n", "\"testing\"\n\n\t\"lib.example\"\n", 1))
			t.Setenv("GOFLAGS", "-mod=mod")
		}, "first second lib"},
		{"workspace", func(t *testing.T, c *Config) {
			root := filepath.Dir(c.Tree.Dir)
			write(t, filepath.Join(root, "go.work"), "go 1.22\n\nuse \"./a tree\"\nuse ./lib\n")
			write(t, filepath.Join(root, "lib/go.mod"), "module lib.example\n\ngo 1.22\n")
			write(t, filepath.Join(root, "lib/lib.go"), "package lib\n\nconst Name = \"lib\"\n")
			write(t, c.Binding, strings.Replace(strings.Replace(tinyBinding, "Third()", "lib.Name", 1), "\"testing\"\n", "\"testing\"\n\n\t\"lib.example\"\n", 1))
		}, "first second lib"},
		{"vendor folder", func(t *testing.T, c *Config) {
			write(t, filepath.Join(c.Tree.Dir, "go.mod"), tinyMod+"\nrequire lib.example v1.0.0\n")
			write(t, filepath.Join(c.Tree.Dir, "vendor/modules.txt"), "# lib.example v1.0.0\n## explicit; go 1.22\nlib.example\n")
			write(t, filepath.Join(c.Tree.Dir, "vendor/lib.example/lib.go"), "package lib\n\nconst Name = \"vendored\"\n")
			write(t, c.Binding, strings.Replace(strings.Replace(tinyBinding, "Third()", "lib.Name", 1), "\"testing\"\n", "\"testing\"\n\n\t\"lib.example\"\n", 1))
		}, "first second vendored"},
		{"external test package", func(t *testing.T, c *Config) {
			text := strings.Replace(tinyBinding, "package ctl", "package ctl_test", 1)
			text = strings.Replace(text, "First(), Second(), Third()", "ctl.First(), ctl.Second(), ctl.Third()", 1)
			write(t, c.Binding, strings.Replace(text, "\"testing\"\n", "\"testing\"\n\n\t\"tiny.example/ctl\"\n", 1))
		}, "first second nothing"},
		{"nested module", func(t *testing.T, c *Config) {
			if err := os.Rename(filepath.Join(c.Tree.Dir, "go.mod"), filepath.Join(c.Tree.Dir, "ctl/go.mod")); err != nil {
				t.Fatal(err)
			}
		}, "first second nothing"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := tiny(t)
			c.Kinds = []string{All}
			test.change(t, &c)
			before := state(t, c.Tree.Dir)
			defer func() {
				if diff := cmp.Diff(before, state(t, c.Tree.Dir)); diff != "" {
					t.Errorf("the tree was changed (-before +after):\n%s", diff)
				}
			}()
			s := open(t, c)
			if err := s.Build(s.Sets); err != nil {
				t.Fatal(err)
			}
			if got := said(t, s, All); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
