package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const profile = `mode: atomic
x.y/a/one.go:3.1,5.2 2 4
x.y/a/one.go:10.1,12.2 1 0
x.y/a/one.go:7.1,8.2 1 0
x.y/a/one.go:14.1,15.2 1 0
x.y/a/two.go:1.1,2.2 1 0
x.y/b/three.go:1.1,2.2 1 0
x.y/a/one.go:14.1,15.2 1 3
`

func TestCoverage(t *testing.T) {
	blocks, err := readProfile(strings.NewReader(profile))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := printCoverage(&out, blocks, "p"); err != nil {
		t.Fatal(err)
	}
	const want = `
code: 2 of 6 blocks reached, see go tool cover -html=p
  not all of x.y/a/one.go: lines 7-8 10-12
  nothing of x.y/a/two.go
  nothing of x.y/b
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestProfileThatIsNone(t *testing.T) {
	for _, text := range []string{"a.go", "a.go:1.1,2.2", "a.go 1 1", "a.go:1.1,2.2 1", "a.go:x,2.2 1 1"} {
		if _, err := readProfile(strings.NewReader(text + "\n")); err == nil || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}
