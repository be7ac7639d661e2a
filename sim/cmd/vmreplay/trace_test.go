package main

import (
	"os"
	"testing"

	"github.com/vmreplay/vmreplay/sim/report/perfetto/tracetest"
)

// What real runs leave as a trace can be opened: retries, replicas that elect a
// leader, a lost lease, and a controller with a manager.
func TestTracesOfRunsFollowTheRules(t *testing.T) {
	for _, story := range []string{
		"vmim/target-pod-not-created", "vmim/stolen-lease", "vmim/two-migrations", "kvvm/node-selector-edited-after",
	} {
		t.Run(story, func(t *testing.T) {
			file := t.TempDir() + "/trace.json"
			if code, _, err := call(t, "run", "scenarios/"+story+".yaml", "--quiet", "--report", "trace="+file); code != exitOK {
				t.Fatalf("exit code %d: %s", code, err)
			}
			trace, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, wrong := range tracetest.Wrong(trace) {
				t.Error(wrong)
			}
		})
	}
}
