package sim_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/vmreplay/vmreplay/fixtures"
	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/lockstep"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// written makes a story from the part of a scenario that a test is about.
func written(t *testing.T, body string) *sim.Story {
	t.Helper()
	story, err := sim.Compile(loaded(t, body))
	if err != nil {
		t.Fatal(err)
	}
	return story
}

func loaded(t *testing.T, body string) *scenario.Scenario {
	t.Helper()
	text := `apiVersion: vmreplay/v1alpha1
kind: Scenario
metadata: {name: test, control: true}
controllers:
  - {name: kube-ovn-controller, type: vmim}
verdicts:
  green: [none, scheduling-retry, target-pod-retry, both, wake]
` + body
	fsys := fstest.MapFS{"test.yaml": &fstest.MapFile{Data: []byte(text)}}
	s, err := scenario.Load(fsys, "test.yaml", fixtures.FS, sim.Catalog(), sim.Conditions())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// playing runs a story with a program in place of the controller.
func playing(t *testing.T, story *sim.Story, program lockstep.Program) *sim.Result {
	t.Helper()
	subject := sim.Subject{Type: "vmim", Variants: []string{"none"}, Run: func(ctx context.Context, env *lockstep.Env, _ string) error {
		return program(ctx, env)
	}}
	return sim.Judge(t, story, "none", sim.Options{Subjects: []sim.Subject{subject}, Stuck: time.Second})
}

// finding is the result of one check; it fails the test if there is none.
func finding(t *testing.T, r *sim.Result, name string) check.Result {
	t.Helper()
	i := slices.IndexFunc(r.Checks, func(c check.Result) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no result of check %s in %s", name, summary(r))
	}
	return r.Checks[i]
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, l := range lines {
		if !strings.Contains(text, l) {
			t.Errorf("%q is not in\n%s", l, text)
		}
	}
}

func summary(r *sim.Result) string {
	s := fmt.Sprintf("%s under %s: %s %s", r.Story.Metadata.Name, r.Variant, r.Status, r.Detail)
	for _, c := range r.Checks {
		s += fmt.Sprintf("\n%s ok=%v %s", c.Name, c.OK, c.Message)
	}
	return s
}
