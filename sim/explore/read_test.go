package explore

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadReports(t *testing.T) {
	good := Report{Scenario: "a", Path: "a.yaml", Variant: "none", Budget: 10, Depth: 2, Shards: []int{2}, Of: 3}
	of := func(change func(*Report)) string {
		r := good
		change(&r)
		text, err := json.Marshal([]Report{r})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	tests := []struct{ name, text, want string }{
		{"as written", of(func(*Report) {}), ""},
		{"nothing", "", "found nothing"},
		{"an empty list", "[]", "found no report in it"},
		{"null", "null", "found no report in it"},
		{"a list of null", "[null]", "number 1 in it: found null"},
		{"an empty report", "[{}]", `number 1 in it: expected the path of a scenario and a variant, found "" and ""`},
		{"another command's JSON", `[{"scenario": "a", "verdict": "pass"}]`, `json: unknown field "verdict"`},
		{"two lists", "[]\n[]", "found something after the list of reports"},
		{"no variant", of(func(r *Report) { r.Variant = "" }), `number 1 in it: expected the path of a scenario and a variant, found "a.yaml" and ""`},
		{"no budget", of(func(r *Report) { r.Budget = 0 }), "number 1 in it: expected a budget and a depth from 1 on, found 0 and 2"},
		{"no shards", of(func(r *Report) { r.Shards = nil }), "number 1 in it: expected shards from 1 to 3, found []"},
		{"a shard that there is not", of(func(r *Report) { r.Shards = []int{4} }), "number 1 in it: expected shards from 1 to 3, found [4]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reports, err := ReadReports([]byte(test.text))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if (len(reports) == 1) != (test.want == "") {
				t.Errorf("%d reports", len(reports))
			}
		})
	}
}
