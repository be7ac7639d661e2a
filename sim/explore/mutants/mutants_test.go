package mutants

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/vmreplay/vmreplay/sim/explore"
)

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
	type planted struct {
		Subject
		Mutant
	}
	var all []planted
	for _, s := range Subjects() {
		if f := search(t, root, binary, s, Mutant{}); f != nil {
			t.Fatalf("without a mutant, schedule %d of %s fails: %s", f.First, s.Variant, f.Title())
		}
		for _, m := range s.Mutants {
			all = append(all, planted{s, m})
		}
	}
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
				found[i] = search(t, root, binary, all[i].Subject, all[i].Mutant)
			}
		})
	}
	workers.Wait()
	n := 0
	for i, m := range all {
		switch f := found[i]; {
		case f != nil:
			n++
			t.Logf("found      %-5s  %-26s by schedule %d: %s", m.Variant, m.Name, f.First, f.Title())
			if m.Survives != "" {
				t.Errorf("%s is found, although %s", m.Name, m.Survives)
			}
		default:
			t.Logf("not found  %-5s  %-26s %s", m.Variant, m.Name, m.Survives)
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
	overlay, err := Overlay(root, dir, Subjects())
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

// search looks for one mutant in one story after the other; it returns nil if
// nothing was found.
func search(t *testing.T, root, binary string, s Subject, m Mutant) *explore.Finding {
	for _, story := range s.Stories {
		r, err := report(root, binary, m.Name, "explore", story,
			"--variant", s.Variant, "--first", "--jobs", "1", "--budget", strconv.Itoa(cmp.Or(m.Budget, s.Budget)), "--format", "json")
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
			return nil
		}
		for _, n := range r.NoVerdict {
			t.Errorf("%s: schedule %d is %s: %s", m.Name, n.Number, n.Status, n.Detail)
		}
		if len(r.Findings) > 0 {
			return &r.Findings[0]
		}
	}
	return nil
}

// report is the report of one search by the binary, with a mutant awake.
func report(root, binary, mutant string, args ...string) (*explore.Report, error) {
	cmd := exec.CommandContext(context.Background(), binary, args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), Variable+"="+mutant)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	var reports []*explore.Report
	if err := json.Unmarshal(out.Bytes(), &reports); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, errs.String())
	}
	return reports[0], nil
}
