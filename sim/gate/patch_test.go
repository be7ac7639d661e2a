package gate

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoadPatches(t *testing.T) {
	dir := files(t, map[string]string{"0010-b.diff": "x", "0002-c.diff": "x", "a.diff": "x", "notes.md": "x", "a.diff.upstream": "x"})
	patches, err := LoadPatches(filepath.Join(dir, "*.diff"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range patches {
		got = append(got, p.Name)
	}
	if diff := cmp.Diff([]string{"c", "b", "a"}, got); diff != "" {
		t.Errorf("names in order (-want +got):\n%s", diff)
	}
	write(t, filepath.Join(dir, "0011-b.diff"), "x")
	if _, err := LoadPatches(filepath.Join(dir, "*.diff")); err == nil || !strings.Contains(err.Error(), `both called "b"`) {
		t.Errorf("got %v, want an error about two patches of one name", err)
	}
}

func TestCheckUpstream(t *testing.T) {
	const message = "Say first\n\nUpstream-Commit: abc123\n\n"
	tests := []struct{ name, patch, upstream, want string }{
		{"no trailer", firstPatch, "", ""},
		{"identical", message + firstPatch, firstPatch, ""},
		{"identical behind another message", message + firstPatch, "From abc123\nSubject: x\n\n" + firstPatch, ""},
		{"with the signature of a mail", message + firstPatch + "-- \n2.40.0\n\n", firstPatch, ""},
		{"a removed line like a signature", message + firstPatch + "-- \n+2\n", firstPatch, "expected \"\", found \"-- \\n\""},
		{"no diff beside it", message + firstPatch, "", "expected that commit's diff in"},
		{"another hunk header", message + strings.Replace(firstPatch, "@@ -2,7 +2,7 @@", "@@ -3,7 +3,7 @@", 1), firstPatch, "line 4 of the diff: expected \"@@ -2,7 +2,7 @@"},
		{"a line more", message + firstPatch + " \n", firstPatch, "expected \"\", found \" \\n\""},
		{"a carriage return", message + strings.ReplaceAll(firstPatch, "\n", "\r\n"), firstPatch, "line 1 of the diff"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := files(t, map[string]string{"p.diff": test.patch})
			if test.upstream != "" {
				write(t, filepath.Join(dir, "p.diff.upstream"), test.upstream)
			}
			patches, err := LoadPatches(filepath.Join(dir, "*.diff"))
			if err != nil {
				t.Fatal(err)
			}
			err = patches[0].CheckUpstream()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

// What the user's git is told to overlook, a build elsewhere does not.
func TestGitIsNotConfigured(t *testing.T) {
	config := filepath.Join(files(t, map[string]string{"gitconfig": "[apply]\n\tignoreWhitespace = change\n"}), "gitconfig")
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	dir := files(t, map[string]string{"p.diff": "--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,3 @@\n package  x\n+\n // end\n"})
	patches, err := LoadPatches(filepath.Join(dir, "*.diff"))
	if err != nil {
		t.Fatal(err)
	}
	for text, applies := range map[string]bool{"package  x\n// end\n": true, "package x\n// end\n": false} {
		if _, err := apply(files(t, map[string]string{"x.go": text}), patches); (err == nil) != applies {
			t.Errorf("to %q: %v", text, err)
		}
	}
}

func TestApplyKindsOfChange(t *testing.T) {
	const series = `diff --git a/gone.go b/gone.go
deleted file mode 100644
--- a/gone.go
+++ /dev/null
@@ -1 +0,0 @@
-package gone
diff --git a/old name.go b/new name.go
similarity index 100%
rename from old name.go
rename to new name.go
diff --git a/fresh/new.go b/fresh/new.go
new file mode 100644
--- /dev/null
+++ b/fresh/new.go
@@ -0,0 +1 @@
+package fresh
`
	tree := files(t, map[string]string{"gone.go": "package gone\n", "old name.go": "package old\n", "other.go": "package other\n"})
	dir := files(t, map[string]string{"p.diff": series})
	patches, err := LoadPatches(filepath.Join(dir, "*.diff"))
	if err != nil {
		t.Fatal(err)
	}
	changes, err := apply(tree, patches)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range changes {
		got[c.path] = string(c.content)
		if c.deleted {
			got[c.path] = "deleted"
		}
	}
	want := map[string]string{"gone.go": "deleted", "old name.go": "deleted", "new name.go": "package old\n", "fresh/new.go": "package fresh\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes differ (-want +got):\n%s", diff)
	}
}
