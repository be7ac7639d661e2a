package scenario_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A bad scenario and what is said of it. Text replaces fields of the smallest
// scenario, from the first line on, or is the whole file. Both may start with a
// line break that does not count.
type bad struct {
	name  string
	whole bool
	text  string
	want  string
}

func testBad(t *testing.T, cases []bad) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := strings.TrimPrefix(c.text, "\n")
			if !c.whole {
				text = with(base, text)
			}
			s, err := load(t, text, fixtureFiles())
			if err == nil {
				t.Fatal("the scenario loads")
			}
			if s != nil {
				t.Error("got a scenario beside the error")
			}
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorsAreFoundByTheirType(t *testing.T) {
	_, err := load(t, with(base, "until: soon"), nil)
	all, ok := errors.AsType[scenario.Errors](err)
	if !ok || len(all) != 1 {
		t.Fatalf("got %#v, want one problem", err)
	}
	first, ok := errors.AsType[*scenario.Error](err)
	want := scenario.Pos{File: "story.yaml", Line: 1, Column: 8}
	if !ok || first.Pos != want {
		t.Errorf("got %v, want a problem at %v", first, want)
	}
}

func TestBaseIsRight(t *testing.T) {
	if _, err := load(t, with(base, ""), nil); err != nil {
		t.Fatal(err)
	}
}
