package main

import (
	"os"
	"strings"
	"testing"

	"github.com/vmreplay/vmreplay/sim/report/schematest"
)

// What the commands write as JSON is as the schemas say that vmreplay schema
// prints. Gates are built by the tests of sim/gate.
func TestJSONIsAsItsSchemaSays(t *testing.T) {
	const story = "scenarios/vmim/target-pod-not-created.yaml"
	tests := []struct {
		name   string
		schema string
		code   int
		args   string
	}{
		{"run", "results", exitOK, "run scenarios/vmim --format json"},
		{"matrix", "matrix", exitOK, "matrix scenarios/vmim --format json"},
		{"matrix of a value", "matrix", exitOK, "matrix " + story + ` --format json --value vmim("default/migration").status.phase`},
		{"explore that finds something", "explore", exitFound, "explore scenarios/vmim/live-migration.yaml --variant scheduling-retry --budget 120 --jobs 1 --format json"},
		{"explore that finds nothing", "explore", exitNothing, "explore scenarios/vmim/same-node.yaml --variant wake --budget 10 --jobs 1 --format json"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, schema, _ := call(t, "schema", test.schema)
			code, out, err := call(t, strings.Split(test.args, " ")...)
			if code != test.code {
				t.Fatalf("exit code %d, want %d: %s", code, test.code, err)
			}
			if err := schematest.Check([]byte(schema), []byte(out)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestReportsAsJSONAreAsTheirSchemaSays(t *testing.T) {
	for _, command := range []string{
		"run scenarios/vmim/same-node.yaml", "matrix scenarios/vmim/same-node.yaml",
		"explore scenarios/vmim/live-migration.yaml --variant scheduling-retry --budget 120 --jobs 1",
	} {
		t.Run(command, func(t *testing.T) {
			file := t.TempDir() + "/results.json"
			_, _, err := call(t, append(strings.Split(command, " "), "--report", "json="+file)...)
			text, failed := os.ReadFile(file)
			if failed != nil {
				t.Fatal(failed)
			}
			if err := schematest.Check(schemas["results"](), text); err != nil {
				t.Error(err)
			}
			if !strings.Contains(err, "wrote "+file) {
				t.Errorf("on standard error: %s", err)
			}
		})
	}
}

func TestUnknownSchema(t *testing.T) {
	code, out, err := call(t, "schema", "result")
	if code != exitBadInput || out != "" || !strings.Contains(err, `unknown schema "result" (did you mean "results"?)`) {
		t.Errorf("exit code %d, %q, %q", code, out, err)
	}
}
