package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/vmreplay/vmreplay/sim/explore"
)

// The stories that a mutant is looked for in, and how many schedules of each are
// played at most.
var stories = []string{
	"scenarios/vmim/live-migration.yaml",
	"scenarios/vmim/two-migrations.yaml",
	"scenarios/vmim/network-without-readiness-gate.yaml",
}

const budget = "500"

// enough is how many mutants must be found.
const enough = 28

// A search of the default kind finds the mutants; each search ends at the first
// schedule that fails.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	binary := build(t, root)
	if f := search(t, root, binary, ""); f != nil {
		t.Fatalf("without a mutant, schedule %d fails: %s", f.First, f.Title())
	}
	all := All()
	found := make([]*explore.Finding, len(all))
	var next sync.Mutex
	at := 0
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for {
				next.Lock()
				i := at
				at++
				next.Unlock()
				if i >= len(all) {
					return
				}
				found[i] = search(t, root, binary, all[i].Name)
			}
		})
	}
	workers.Wait()
	n := 0
	for i, m := range all {
		switch f := found[i]; {
		case f != nil:
			n++
			t.Logf("found      %-26s by schedule %d: %s", m.Name, f.First, f.Title())
			if m.Survives != "" {
				t.Errorf("%s is found, although %s", m.Name, m.Survives)
			}
		default:
			t.Logf("not found  %-26s %s", m.Name, m.Survives)
			if m.Survives == "" {
				t.Errorf("%s is not found", m.Name)
			}
		}
	}
	t.Logf("%d of %d mutants found", n, len(all))
	if n < enough {
		t.Errorf("expected at least %d mutants to be found, found %d", enough, n)
	}
}

// build makes a vmreplay with all mutants in it, each asleep.
func build(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	overlay, err := Overlay(root, dir, All())
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "vmreplay")
	cmd := exec.Command("go", "build", "-overlay", overlay, "-o", binary, "./sim/cmd/vmreplay")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// search looks for one mutant; it returns nil if nothing was found.
func search(t *testing.T, root, binary, mutant string) *explore.Finding {
	args := append([]string{"explore"}, stories...)
	args = append(args, "--variant", "wake", "--first", "--jobs", "1", "--budget", budget, "--format", "json")
	cmd := exec.CommandContext(context.Background(), binary, args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), Variable+"="+mutant)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Errorf("%s: %v", mutant, err)
		return nil
	}
	var reports []*explore.Report
	if err := json.Unmarshal(out.Bytes(), &reports); err != nil {
		t.Errorf("%s: %v\n%s", mutant, err, errs.String())
		return nil
	}
	for _, r := range reports {
		for _, n := range r.NoVerdict {
			t.Errorf("%s: schedule %d is %s: %s", mutant, n.Number, n.Status, n.Detail)
		}
		if len(r.Findings) > 0 {
			return &r.Findings[0]
		}
	}
	return nil
}
