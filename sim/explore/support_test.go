package explore

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// open loads one scenario of the pack that is built in.
func open(t *testing.T, name string) (*sim.Story, scenario.Source) {
	t.Helper()
	s, source, err := read("scenarios/vmim/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return s, source
}

func read(path string) (*sim.Story, scenario.Source, error) {
	sources, err := scenario.OpenPaths([]string{path})
	if err != nil {
		return nil, scenario.Source{}, err
	}
	loaded, err := scenario.LoadAll(sources, sim.Catalog(), sim.Conditions())
	if err != nil {
		return nil, scenario.Source{}, err
	}
	s, err := sim.Compile(loaded[0])
	return s, sources[0], err
}

func player(t *testing.T, name, variant string) *Player {
	t.Helper()
	s, _ := open(t, name)
	p, err := NewPlayer(t, Setting{Story: s, Variant: variant, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// searched is the report of a search in this process.
func searched(t *testing.T, name, variant string, o Options) *Report {
	t.Helper()
	p := player(t, name, variant)
	r, err := NewSearch(p, p, o).Do(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// workerVariable makes this test program a worker.
const workerVariable = "VMREPLAY_EXPLORE_TEST_WORKER"

// TestServe is the worker processes of the other tests.
func TestServe(t *testing.T) {
	if os.Getenv(workerVariable) == "" {
		return
	}
	err := Serve(t, os.Stdin, os.Stdout, func(path string) (*sim.Story, error) {
		s, _, err := read(path)
		return s, err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func workerProcess() (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "-test.run=^TestServe$")
	cmd.Env = append(os.Environ(), workerVariable+"=1")
	return cmd, nil
}
