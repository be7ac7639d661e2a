package timeline

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// masked are fields that change with every write and say nothing.
var masked = map[string]bool{
	"metadata.resourceVersion": true,
	"metadata.generation":      true,
	"metadata.managedFields":   true,
}

// widest is the longest value that is printed in full.
const widest = 60

// Fields lists what a write changed, a line a field: "status.phase: Pending ->
// Scheduling". A created or deleted object has none.
func Fields(c engine.Change) []string {
	if c.Before == nil || c.After == nil {
		return nil
	}
	var out []string
	compare("", c.Before.Content(), c.After.Content(), &out)
	return out
}

func compare(path string, before, after any, out *[]string) {
	if masked[path] || reflect.DeepEqual(before, after) {
		return
	}
	a, aMap := before.(map[string]any)
	b, bMap := after.(map[string]any)
	if (aMap || before == nil) && (bMap || after == nil) && (len(a) > 0 || len(b) > 0) {
		keys := maps.Clone(a)
		if keys == nil {
			keys = map[string]any{}
		}
		maps.Copy(keys, b)
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			compare(join(path, k), a[k], b[k], out)
		}
		return
	}
	x, xList := before.([]any)
	y, yList := after.([]any)
	if xList && yList && len(x) == len(y) {
		for i := range x {
			compare(path+"["+strconv.Itoa(i)+"]", x[i], y[i], out)
		}
		return
	}
	*out = append(*out, fmt.Sprintf("%s: %s -> %s", path, value(before), value(after)))
}

func join(path, key string) string {
	if strings.ContainsAny(key, "./") {
		key = strconv.Quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func value(v any) string {
	if v == nil {
		return "none"
	}
	if s, ok := v.(string); ok {
		return clip(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return clip(fmt.Sprint(v))
	}
	return clip(string(b))
}

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > widest {
		return string(r[:widest-1]) + "…"
	}
	return s
}
