package scenario_test

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// FuzzLoad: whatever a file holds, it is a scenario, or every problem has a
// position in it; and it is the same when it is read again.
func FuzzLoad(f *testing.F) {
	text, err := os.ReadFile("testdata/full/full.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(text), with(base, ""), bomb(), "a: &b [*b]", "- |+1\n\n  x", "? [a]\n: !!set {a}", "a: !<!> 'b''c'"} {
		f.Add(seed)
	}
	for _, expression := range []string{`"\x61\u0020\n(" `, `&a !!str 'a ''b'`, "|2-\n     a\n    (\n", ">+\n  a\n\n  (", "a\r\n    ("} {
		f.Add(with(base, "timeline:\n- when: "+expression+"\n  restart: ctl"))
	}
	conditions, world := env(f), catalog()
	f.Fuzz(func(t *testing.T, text string) {
		fsys := files(map[string]string{"story.yaml": text})
		s, err := scenario.Load(fsys, "story.yaml", fixtureFiles(), world, conditions)
		if (s == nil) == (err == nil) {
			t.Fatalf("got the scenario %v and the error %v", s, err)
		}
		all, _ := errors.AsType[scenario.Errors](err)
		if err != nil && len(all) == 0 {
			t.Fatalf("an error without problems: %#v", err)
		}
		for _, e := range all {
			if e.Pos.Line < 1 || e.Pos.Column < 1 || e.Pos.File == "" || e.Message == "" {
				t.Fatalf("a problem without position or text: %#v", e)
			}
		}
		again, errAgain := scenario.Load(fsys, "story.yaml", fixtureFiles(), world, conditions)
		if diff := cmp.Diff(s, again); diff != "" {
			t.Fatalf("scenario (-first +again):\n%s", diff)
		}
		if diff := cmp.Diff(err, errAgain); diff != "" {
			t.Fatalf("error (-first +again):\n%s", diff)
		}
	})
}
