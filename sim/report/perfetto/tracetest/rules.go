// Package tracetest holds traces against the rules of Chrome's trace event format,
// as Perfetto reads it. It is for tests, and knows nothing of what the traces are
// about.
package tracetest

import (
	"encoding/json"
	"fmt"
	"slices"
)

// An event as the format describes it.
type event struct {
	Phase    string   `json:"ph"`
	Name     string   `json:"name"`
	Category string   `json:"cat"`
	Process  *int     `json:"pid"`
	Thread   *int     `json:"tid"`
	At       *float64 `json:"ts"`
	Length   *float64 `json:"dur"`
	ID       *int     `json:"id"`
	Bind     string   `json:"bp"`
	Scope    string   `json:"s"`
}

type thread struct{ process, thread int }

// Wrong lists what in a trace is against the rules of the format: what each phase
// needs, that slices of a thread lie within each other or apart, that asynchronous
// events begin and end, and that both ends of a flow are in a slice.
func Wrong(trace []byte) []string {
	var document struct {
		Unit   string   `json:"displayTimeUnit"`
		Events *[]event `json:"traceEvents"`
	}
	if err := json.Unmarshal(trace, &document); err != nil {
		return []string{"no JSON: " + err.Error()}
	}
	if document.Events == nil || document.Unit != "ms" && document.Unit != "ns" {
		return []string{"expected traceEvents, and ms or ns as displayTimeUnit"}
	}
	return wrongIn(*document.Events)
}

func wrongIn(events []event) (wrong []string) {
	complain := func(e event, format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s %q: ", e.Phase, e.Name)+fmt.Sprintf(format, args...))
	}
	slicesOf := map[thread][]event{}
	open := map[string]int{}
	flows := map[int]event{}
	named := map[thread]bool{}
	var ends []event
	for _, e := range events {
		if e.Name == "" || e.Process == nil || e.Thread == nil || e.At == nil || *e.At < 0 {
			complain(e, "expected a name, a process, a thread and a time")
			continue
		}
		if e.ID == nil && slices.Contains([]string{"b", "e", "s", "f"}, e.Phase) {
			complain(e, "expected an id")
			continue
		}
		at := thread{*e.Process, *e.Thread}
		switch e.Phase {
		case "M":
			named[at] = named[at] || e.Name == "thread_name"
		case "X":
			if e.Length == nil || *e.Length < 0 {
				complain(e, "expected a length")
				continue
			}
			slicesOf[at] = append(slicesOf[at], e)
		case "i":
			if !slices.Contains([]string{"t", "p", "g"}, e.Scope) {
				complain(e, "scope %q", e.Scope)
			}
		case "b", "e":
			id := fmt.Sprint(e.Category, *e.ID, e.Name)
			if open[id] += map[string]int{"b": 1, "e": -1}[e.Phase]; open[id] < 0 {
				complain(e, "ends before it begins")
			}
		case "s":
			flows[*e.ID] = e
			ends = append(ends, e)
		case "f":
			if s, ok := flows[*e.ID]; !ok || *s.At > *e.At || e.Bind != "e" {
				complain(e, "expected a flow that began before")
			}
			ends = append(ends, e)
		default:
			complain(e, "unknown phase")
		}
	}
	for id, n := range open {
		if n != 0 {
			wrong = append(wrong, id+" does not end")
		}
	}
	return append(wrong, together(slicesOf, named, ends)...)
}

// together checks what no event can break alone.
func together(slicesOf map[thread][]event, named map[thread]bool, ends []event) (wrong []string) {
	for at, list := range slicesOf {
		if !named[at] {
			wrong = append(wrong, fmt.Sprintf("%q: its thread has no name", list[0].Name))
		}
		wrong = append(wrong, nested(list)...)
	}
	for _, e := range ends {
		inside := func(s event) bool { return *s.At <= *e.At && *e.At <= *s.At+*s.Length }
		if !slices.ContainsFunc(slicesOf[thread{*e.Process, *e.Thread}], inside) {
			wrong = append(wrong, fmt.Sprintf("%q: an end of a flow is in no slice", e.Name))
		}
	}
	return wrong
}

func nested(list []event) (wrong []string) {
	for i, a := range list {
		for _, b := range list[i+1:] {
			if *b.At < *a.At {
				a, b = b, a
			}
			if *b.At < *a.At+*a.Length && *b.At+*b.Length > *a.At+*a.Length {
				wrong = append(wrong, fmt.Sprintf("%q at %v and %q at %v overlap", a.Name, *a.At, b.Name, *b.At))
			}
		}
	}
	return wrong
}
