package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A masker takes out of a transcript what two servers cannot have in common.
type masker struct {
	managed  bool
	uids     map[string]string
	versions map[uint64]int // rank of each resourceVersion of an object
}

// masked gives a transcript that can be compared.
func masked(entries []entry, managed bool) []entry {
	m := &masker{managed: managed, uids: map[string]string{}, versions: map[uint64]int{}}
	plain := make([]entry, 0, len(entries))
	var seen []uint64
	for _, e := range entries {
		e.Body = normal(e.Body)
		seen = collectVersions(e.Body, seen)
		plain = append(plain, e)
	}
	slices.Sort(seen)
	for i, v := range slices.Compact(seen) {
		m.versions[v] = i + 1
	}
	for i, e := range plain {
		plain[i].Call = m.text(e.Call)
		plain[i].Body = m.value(e.Body)
	}
	return plain
}

// normal gives a value as decoded JSON.
func normal(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%v", v)
	}
	var n any
	if err := json.Unmarshal(data, &n); err != nil {
		return err.Error()
	}
	return n
}

// collectVersions finds the resourceVersions of objects. Those of lists say only
// how far the server is, and on a real one others write too.
func collectVersions(v any, seen []uint64) []uint64 {
	switch x := v.(type) {
	case map[string]any:
		if meta, ok := x["metadata"].(map[string]any); ok && x["items"] == nil && meta["name"] != nil {
			if n, err := strconv.ParseUint(fmt.Sprint(meta["resourceVersion"]), 10, 64); err == nil {
				seen = append(seen, n)
			}
		}
		for _, k := range slices.Sorted(maps.Keys(x)) {
			seen = collectVersions(x[k], seen)
		}
	case []any:
		for _, e := range x {
			seen = collectVersions(e, seen)
		}
	}
	return seen
}

func (m *masker) value(v any) any {
	switch x := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(x))
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if k == "managedFields" && !m.managed {
				continue
			}
			c[k] = m.member(k, x[k])
		}
		if meta, ok := c["metadata"].(map[string]any); ok && c["items"] != nil && meta["resourceVersion"] != nil {
			meta["resourceVersion"] = "version"
		}
		if details, ok := c["details"].(map[string]any); ok && x["kind"] == "Status" {
			if causes, ok := details["causes"].([]any); ok && len(causes) > 1 {
				c["message"] = "the causes"
			}
		}
		return c
	case []any:
		c := make([]any, 0, len(x))
		for _, e := range x {
			c = append(c, m.value(e))
		}
		return c
	case string:
		return m.text(x)
	}
	return v
}

func (m *masker) member(key string, v any) any {
	s, ok := v.(string)
	switch {
	case ok && key == "resourceVersion" && s != "":
		return m.version(s)
	case ok && key == "continue" && s != "":
		return "token"
	case key == "fieldsV1":
		// Its empty objects mean something: they are kept from being left out.
		text, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		return string(text)
	case key == "causes":
		return sortedCauses(m.value(v))
	}
	return m.value(v)
}

// sortedCauses puts the causes of an error in order: some are found by going over
// a map, and some twice.
func sortedCauses(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(show(a), show(b)) })
	return slices.CompactFunc(list, func(a, b any) bool { return show(a) == show(b) })
}

func (m *masker) version(s string) string {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return s
	}
	if rank := m.versions[n]; rank > 0 {
		return "version-" + strconv.Itoa(rank)
	}
	return "version"
}

var (
	uuid      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	// Numbers of versions within messages, parameters of queries included.
	inMessage = regexp.MustCompile(`(?i)(version(?:=|: | in precondition[:]? \(?| in record \(| in object meta: )|current: )\d+|\(\d+\)`)
	token     = regexp.MustCompile(`(continue=)[^&]+`)
	specDiff  = regexp.MustCompile(`(?s)(if it was previously negative\)).*`) // ends in a dump of Go structs
	storage   = regexp.MustCompile(`StorageError: .* AdditionalErrorMsg: `)   // names keys of etcd
	goType    = regexp.MustCompile(`Go (value of type|struct field) \S+( \{\})?`)
	suffix    = regexp.MustCompile(`(generated-)[bcdfghjklmnpqrstvwxz2456789]{5}\b`)
)

func (m *masker) text(s string) string {
	s = uuid.ReplaceAllStringFunc(s, m.uid)
	s = timestamp.ReplaceAllString(s, "time")
	s = specDiff.ReplaceAllString(s, "$1")
	s = storage.ReplaceAllString(s, "")
	s = goType.ReplaceAllString(s, "Go $1")
	s = token.ReplaceAllString(s, "${1}token")
	s = suffix.ReplaceAllString(s, "${1}suffix")
	if !strings.ContainsAny(s, "0123456789") {
		return s
	}
	return inMessage.ReplaceAllString(s, "${1}N")
}

// uid numbers UIDs in the order of their appearance, so that it still counts
// whether two are the same.
func (m *masker) uid(id string) string {
	if m.uids[id] == "" {
		m.uids[id] = fmt.Sprintf("uid-%d", len(m.uids)+1)
	}
	return m.uids[id]
}
