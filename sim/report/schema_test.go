package report

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/vmreplay/vmreplay/sim/report/schematest"
)

func TestResultsAreAsTheirSchemaSays(t *testing.T) {
	check := func(rs []Result) error {
		var results, matrix bytes.Buffer
		if err := JSON(&results, rs); err != nil {
			return err
		}
		if err := MatrixJSON(&matrix, rs); err != nil {
			return err
		}
		if err := schematest.Check(JSONSchema(), results.Bytes()); err != nil {
			return err
		}
		return schematest.Check(MatrixSchema(), matrix.Bytes())
	}
	full := sample()
	full[0].Schedule = []string{"a point: delayed by 1s"}
	if err := check(full); err != nil {
		t.Error(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		rs := anyResults(t)
		for i := range rs {
			// What a result may say is a matter of its writer, not of the form.
			rs[i].Verdict, rs[i].Expected, rs[i].Status = Pass, Fail, ""
		}
		if err := check(rs); err != nil {
			t.Fatal(err)
		}
	})
}
