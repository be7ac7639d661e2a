package explore

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// childVariable makes this test program the controller of a tree, and says which
// variant stands for its set of patches.
const childVariable = "VMREPLAY_EXPLORE_TEST_CHILD"

// TestServeController is the child processes of the tests below.
func TestServeController(t *testing.T) {
	variant := os.Getenv(childVariable)
	if variant == "" {
		return
	}
	subjects := sim.Subjects()
	i := slices.IndexFunc(subjects, func(s sim.Subject) bool { return s.Type == "vmim" })
	lockstep.Serve(t, map[string]lockstep.Program{
		"kube-ovn-controller": func(ctx context.Context, env *lockstep.Env) error { return subjects[i].Run(ctx, env, variant) },
	})
}

// childTree is a tree whose sets of patches are the variants.
func childTree(t *testing.T) *Tree {
	t.Helper()
	remotes := map[string]*lockstep.Remote{}
	return &Tree{Flags: " --tree here", Runner: func(set string) (sim.Runner, error) {
		if set == "broken" {
			return nil, fmt.Errorf("patch set %s does not compile", set)
		}
		if remotes[set] == nil {
			r := &lockstep.Remote{Command: func() *exec.Cmd {
				c := exec.Command(os.Args[0], "-test.run=^TestServeController$")
				c.Env = append(os.Environ(), childVariable+"="+set)
				return c
			}}
			t.Cleanup(r.Close)
			remotes[set] = r
		}
		return remotes[set].Run, nil
	}}
}

// A controller in child processes is searched as one in this process is, however
// many of them play.
func TestChildrenAreSearchedTheSame(t *testing.T) {
	o := Options{Budget: 30, Depth: 1}
	want := searched(t, "live-migration", "none", o)
	want.Flags = " --tree here"
	story, _ := open(t, "live-migration")
	for _, jobs := range []int{1, 3} {
		p, err := NewPlayer(t, Setting{Story: story, Variant: "none", Seed: 1, Tree: childTree(t)})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewSearch(p, NewTeam(jobs, p), o).Do(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(asJSON(t, want), asJSON(t, r)); diff != "" {
			t.Errorf("%d children (-in process +in children):\n%s", jobs, diff)
		}
		if len(r.Findings) == 0 {
			t.Error("nothing was found")
		}
	}
}

// A set of patches that cannot be built is an error before anything is searched.
func TestTreeThatDoesNotCompile(t *testing.T) {
	story, _ := open(t, "live-migration")
	_, err := NewPlayer(t, Setting{Story: story, Variant: "broken", Seed: 1, Tree: childTree(t)})
	if err == nil || !strings.Contains(err.Error(), "does not compile") {
		t.Errorf("error %v", err)
	}
}
