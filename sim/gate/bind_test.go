package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A binding to start from compiles, serves and runs as it is, in a tree of its
// style: the one of fixtures, and this module's own controller.
func TestBindCompiles(t *testing.T) {
	tests := []struct {
		style, program string
		tree           Tree
	}{
		{"client-go", "migration", Tree{Dir: "../../fixtures/tree", Package: "./migration"}},
		{"controller-runtime", "kvvm", Tree{Dir: "../..", Package: "./sim/controllers/kvvm"}},
	}
	for _, test := range tests {
		t.Run(test.style, func(t *testing.T) {
			text, err := Bind(test.tree, test.style)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "binding_test.go")
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
			s := open(t, Config{Tree: test.tree, Binding: file, Kinds: []string{None}, Cache: t.TempDir()})
			if err := s.Build(s.Sets); err != nil {
				t.Fatal(err)
			}
			programs, err := s.remotes[None].Programs()
			if err != nil || len(programs) != 1 || programs[0] != test.program {
				t.Errorf("programs are %q, error %v, want %q", programs, err, test.program)
			}
		})
	}
}

func TestBindRefuses(t *testing.T) {
	program := files(t, map[string]string{"go.mod": tinyMod, "main.go": "package main\n\nfunc main() {}\n"})
	tests := []struct {
		name, style, want string
		tree              Tree
	}{
		{"an unknown style", "client-goo", `did you mean "client-go"`, Tree{Dir: program, Package: "."}},
		{"a program", "client-go", "is a program", Tree{Dir: program, Package: "."}},
		{"no tree", "client-go", "--tree", Tree{Dir: program + "/none", Package: "."}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Bind(test.tree, test.style); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestAs(t *testing.T) {
	as, err := ParseAs(three, []string{"all=both", "none=none"})
	if err != nil || as["all"] != "both" || len(as) != 2 {
		t.Errorf("got %v, %v", as, err)
	}
	for pair, want := range map[string]string{"all": "expected SET=VARIANT", "al=both": `did you mean "all"`} {
		if _, err := ParseAs(three, []string{pair}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", pair, err, want)
		}
	}
}
