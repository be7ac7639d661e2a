package tracetest

import "testing"

// The rules that are checked are rules: a trace that breaks them is found.
func TestTheRulesAreChecked(t *testing.T) {
	p, a, l := 1, 10.0, 5.0
	later := 12.0
	tests := []struct {
		name   string
		events []event
	}{
		{"overlap", []event{{Phase: "M", Name: "thread_name", Process: &p, Thread: &p, At: &a}, {Phase: "X", Name: "a", Process: &p, Thread: &p, At: &a, Length: &l}, {Phase: "X", Name: "b", Process: &p, Thread: &p, At: &later, Length: &l}}},
		{"a flow without a slice", []event{{Phase: "s", Name: "a", Process: &p, Thread: &p, At: &a, ID: &p}}},
		{"no end", []event{{Phase: "b", Name: "a", Process: &p, Thread: &p, At: &a, ID: &p}}},
		{"a flow without an id", []event{{Phase: "s", Name: "a", Process: &p, Thread: &p, At: &a}}},
		{"a thread without a name", []event{{Phase: "X", Name: "a", Process: &p, Thread: &p, At: &a, Length: &l}}},
		{"a phase that does not exist", []event{{Phase: "?", Name: "a", Process: &p, Thread: &p, At: &a}}},
		{"no time", []event{{Phase: "i", Name: "a", Process: &p, Thread: &p, Scope: "t"}}},
		{"no length", []event{{Phase: "X", Name: "a", Process: &p, Thread: &p, At: &a}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if wrongIn(test.events) == nil {
				t.Error("nothing was found")
			}
		})
	}
}

func TestADocumentIsExpected(t *testing.T) {
	for _, text := range []string{"", "[]", `{"traceEvents":[]}`, `{"displayTimeUnit":"ms"}`} {
		if Wrong([]byte(text)) == nil {
			t.Errorf("nothing was found in %q", text)
		}
	}
}
