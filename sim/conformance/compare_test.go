package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A difference is one place in which two transcripts differ.
type difference struct {
	path            string // "3 PUT /api/v1/... : spec.nodeName"
	real, simulated string
}

func (d difference) String() string {
	return fmt.Sprintf("%s\n      real:      %s\n      simulated: %s", d.path, d.real, d.simulated)
}

// differences compares two transcripts entry by entry.
func differences(theirs, ours []entry) []difference {
	var all []difference
	for i := range max(len(theirs), len(ours)) {
		if i >= len(theirs) || i >= len(ours) {
			all = append(all, difference{path: fmt.Sprintf("entry %d", i+1), real: callAt(theirs, i), simulated: callAt(ours, i)})
			continue
		}
		a, b := theirs[i], ours[i]
		at := fmt.Sprintf("%d %s:", i+1, a.Call)
		if a.Call != b.Call {
			all = append(all, difference{at + " call", a.Call, b.Call})
			continue
		}
		if a.Code != b.Code {
			all = append(all, difference{at + " code", fmt.Sprintf("%d %v", a.Code, message(a.Body)), fmt.Sprintf("%d %v", b.Code, message(b.Body))})
		}
		all = append(all, diffValues(at+" ", a.Body, b.Body)...)
	}
	return all
}

func callAt(entries []entry, i int) string {
	if i < len(entries) {
		return entries[i].Call
	}
	return "nothing"
}

func message(body any) any {
	m, _ := body.(map[string]any)
	return m["message"]
}

// diffValues compares decoded JSON. What is empty counts as absent: whether a
// server writes "status: {}" or "count: 0" or leaves it out means nothing to a
// client with Go types, except where zero is a value of a pointer.
func diffValues(path string, a, b any) []difference {
	if isEmpty(a) && isEmpty(b) || isZero(path, a) && isZero(path, b) {
		return nil
	}
	x, xIsMap := a.(map[string]any)
	y, yIsMap := b.(map[string]any)
	if xIsMap && yIsMap {
		var all []difference
		keys := maps.Clone(x)
		maps.Copy(keys, y)
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			all = append(all, diffValues(path+"."+k, x[k], y[k])...)
		}
		return all
	}
	l, lIsList := a.([]any)
	m, mIsList := b.([]any)
	if lIsList && mIsList && len(l) == len(m) {
		var all []difference
		for i := range l {
			all = append(all, diffValues(path+"."+strconv.Itoa(i), l[i], m[i])...)
		}
		return all
	}
	if one, two := show(a), show(b); one != two {
		return []difference{{path, one, two}}
	}
	return nil
}

var zeroCounts = []string{".deletionGracePeriodSeconds", ".generation", ".code"}

func isZero(path string, v any) bool {
	for _, name := range zeroCounts {
		if strings.HasSuffix(path, name) {
			return false
		}
	}
	if m, ok := v.(map[string]any); ok {
		for k, e := range m {
			if !isZero(path+"."+k, e) {
				return false
			}
		}
		return true
	}
	return v == float64(0) || v == false || isEmpty(v)
}

func isEmpty(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, e := range x {
			if !isEmpty(e) {
				return false
			}
		}
		return true
	case []any:
		return len(x) == 0
	}
	return v == ""
}

// show prints a value with what is empty left out.
func show(v any) string {
	switch x := v.(type) {
	case map[string]any:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if !isEmpty(x[k]) {
				parts = append(parts, k+": "+show(x[k]))
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		parts := make([]string, 0, len(x))
		for _, e := range x {
			parts = append(parts, show(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return x
	case nil:
		return "absent"
	}
	return fmt.Sprint(v)
}
