package page

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vmreplay/vmreplay/sim/report/record"
)

// rowsOf is what the page's script makes of a table; states are said, not guessed.
func rowsOf(t *testing.T, table *table) []map[string]any {
	t.Helper()
	rows := make([]map[string]any, table.N)
	for i := range rows {
		rows[i] = map[string]any{}
	}
	for _, c := range table.Columns {
		value := reader(t, c)
		for i := range rows {
			if v := value(i); v != nil {
				rows[i][c.Name] = v
			}
		}
	}
	return rows
}

func reader(t *testing.T, c column) func(int) any {
	t.Helper()
	numbers := func(text json.RawMessage) (all []float64) {
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatalf("column %s: %v", c.Name, err)
		}
		return all
	}
	switch {
	case c.Rows != nil:
		rows := rowsOf(t, c.Rows)
		return func(i int) any {
			own := rows[:c.Counts[i]]
			rows = rows[c.Counts[i]:]
			switch {
			case len(own) == 0:
				return nil
			case c.One:
				return own[0]
			}
			return own
		}
	case c.Index != nil:
		return func(i int) (v any) {
			if err := json.Unmarshal(c.Pool[c.Index[i]], &v); err != nil {
				t.Fatalf("column %s: %v", c.Name, err)
			}
			return v
		}
	case c.Numbers != nil:
		plain := numbers(c.Numbers)
		return func(i int) any { return plain[i] }
	}
	deltas, last := numbers(c.Deltas), 0.0
	return func(i int) any {
		last = thousandths(last + deltas[i])
		return last
	}
}

func TestATableHoldsItsRows(t *testing.T) {
	type inner struct {
		Name string `json:"name"`
	}
	type row struct {
		At    float64  `json:"at"`
		Count int      `json:"count"`
		Never string   `json:"never,omitempty"`
		Texts []string `json:"texts"`
		Many  []inner  `json:"many,omitempty"`
		One   *inner   `json:"one,omitempty"`
	}
	rows := []row{
		{At: 1000000.001, Count: -1, Texts: []string{"a", "b"}},
		{At: 1000000.003, Count: 7, Texts: []string{}, Many: []inner{{"x"}, {"y"}}},
		{At: 1000000.004, Count: -1, Texts: []string{"a", "b"}, Many: []inner{{"z"}}, One: &inner{"w"}},
	}
	made, err := tabled(rows)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(generic(t, rows), generic(t, rowsOf(t, made))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	forms := map[string]bool{}
	for _, c := range made.Columns {
		forms[c.Name] = c.Deltas != nil
	}
	want := map[string]bool{"at": true, "count": false, "texts": false, "many": false, "one": false}
	if diff := cmp.Diff(want, forms); diff != "" {
		t.Errorf("the columns, and which hold differences (-want +got):\n%s", diff)
	}
}

// generic is a value as JSON has it.
func generic(t *testing.T, value any) (v any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// A write and what is seen of it later need no number of a state, and what is
// otherwise has one.
func TestStatesThatAreToBeExpectedAreNotSaid(t *testing.T) {
	write := func(version uint64, before, after int) record.Step {
		return record.Step{
			Kind: "Pod", Object: "default/a", Version: version, State: -1, Exchange: &record.Exchange{Body: -1, Answer: after},
			Changes: []record.Change{{Kind: "Pod", Key: "default/a", Version: version, Before: before, After: after}},
		}
	}
	see := func(version uint64, state int) record.Step {
		return record.Step{Kind: "Pod", Object: "default/a", Version: version, State: state}
	}
	type said struct{ Before, State, Answer int }
	tests := []struct {
		name  string
		steps []record.Step
		want  []said
	}{
		{"a first write", []record.Step{write(1, -1, 5)}, []said{{0, 0, 0}}},
		{"a write of what was there before the run", []record.Step{write(2, 4, 5)}, []said{{6, 0, 0}}},
		{"a write after a write", []record.Step{write(1, -1, 5), write(2, 5, 8)}, []said{{0, 0, 0}, {0, 0, 0}}},
		{"a cache sees what was written", []record.Step{write(1, -1, 5), see(1, 5)}, []said{{0, 0, 0}, {0, 0, 0}}},
		{"a cache sees what was there before, twice", []record.Step{see(1, 0), see(1, 0)}, []said{{0, 2, 0}, {0, 0, 0}}},
		{"a cache sees another state of that version", []record.Step{write(1, -1, 5), see(1, 6)}, []said{{0, 0, 0}, {0, 8, 0}}},
		{"a read that does not know the state", []record.Step{write(1, -1, 5), see(1, -1)}, []said{{0, 0, 0}, {0, 1, 0}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []said
			for _, s := range guessed(test.steps) {
				one := said{State: s.State}
				if len(s.Changes) > 0 {
					one.Before, one.Answer = s.Changes[0].Before, s.Exchange.Answer
				}
				got = append(got, one)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
