package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// An outcome is what a run came to, without what two runs cannot have in common.
type outcome struct {
	// failed are the checks that do not hold.
	failed []string
	// phases are the values that status.phase had, in order, by object, of the kinds
	// whose phases are a life's stages. Deckhouse's phase of a machine sums up what
	// its controller reads at a time, and passes over what it happens not to read.
	phases map[string][]string
	// objects are the final states.
	objects map[string]any
}

// outcomeOf reads an outcome from the changes of a run's trace.
func outcomeOf(r *sim.Result) outcome {
	changes := slices.Clone(r.Trace.Given)
	for i := range r.Trace.Steps {
		changes = append(changes, r.Trace.Steps[i].Changes...)
	}
	n := namesIn(changes)
	o := outcome{failed: r.Failed(), phases: map[string][]string{}, objects: map[string]any{}}
	for _, c := range changes {
		id := n.of(c.Ref)
		if c.After == nil {
			delete(o.objects, id)
			if hasStages[c.Ref.Kind] {
				o.phases[id] = append(o.phases[id], "gone")
			}
			continue
		}
		content := c.After.Content()
		o.objects[id] = n.masked(content)
		if countsWrites[c.Ref.Kind] {
			delete(o.objects[id].(map[string]any)["metadata"].(map[string]any), "generation")
		}
		if phase := phaseOf(content); hasStages[c.Ref.Kind] && phase != "" && (len(o.phases[id]) == 0 || o.phases[id][len(o.phases[id])-1] != phase) {
			o.phases[id] = append(o.phases[id], phase)
		}
	}
	return o
}

var hasStages = map[string]bool{"Pod": true, "VirtualMachineInstance": true, "VirtualMachineInstanceMigration": true}

// countsWrites are the kinds that have a status and no subresource for it: their
// generation counts the writes of the status too, and how many there are depends
// on how much news a client finds when it gets to its next one.
var countsWrites = map[string]bool{"VirtualMachineInstance": true}

func phaseOf(content map[string]any) string {
	status, _ := content["status"].(map[string]any)
	return textOf(status, "phase")
}

func textOf(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// names stand in for what is drawn by chance: UIDs and the ends of generated
// names.
type names struct {
	replacer *strings.Replacer
}

// namesIn numbers the objects of one generateName in the order of their creation,
// and calls every UID by the object that has it.
func namesIn(changes []engine.Change) names {
	chance := map[string]string{}
	count := map[string]int{}
	for _, c := range changes {
		if c.Before != nil || c.After == nil {
			continue
		}
		meta, _ := c.After.Content()["metadata"].(map[string]any)
		name, prefix := c.Ref.Name, textOf(meta, "generateName")
		if _, known := chance[name]; prefix != "" && !known {
			count[prefix]++
			chance[name] = fmt.Sprintf("%s#%d", prefix, count[prefix])
			name = chance[name]
		}
		if uid := textOf(meta, "uid"); uuid.MatchString(uid) { // a story's own are the same everywhere
			chance[uid] = "uid of " + c.Ref.Kind + " " + name
		}
	}
	n := replacing(chance)
	for what, name := range chance { // there are names with a UID in them
		chance[what] = n.replacer.Replace(name)
	}
	return replacing(chance)
}

func replacing(chance map[string]string) names {
	var pairs []string
	for _, what := range slices.SortedFunc(maps.Keys(chance), longestFirst) {
		pairs = append(pairs, what, chance[what])
	}
	return names{strings.NewReplacer(pairs...)}
}

// longestFirst has a name replaced before another that it begins with.
func longestFirst(a, b string) int {
	if len(a) != len(b) {
		return len(b) - len(a)
	}
	return strings.Compare(a, b)
}

func (n names) of(ref engine.Ref) string { return n.replacer.Replace(ref.String()) }

// masked is an object without versions and times.
func (n names) masked(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			if k != "resourceVersion" && k != "managedFields" {
				out[n.replacer.Replace(k)] = n.masked(e)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(x))
		for _, e := range x {
			out = append(out, n.masked(e))
		}
		return out
	case string:
		return timestamp.ReplaceAllString(n.replacer.Replace(x), "time")
	case int64:
		return float64(x) // as decoded JSON elsewhere in this package
	}
	return v
}

// parted compares the outcomes of one story on a real server and in the
// simulation.
func parted(theirs, ours outcome) []difference {
	var all []difference
	if a, b := fmt.Sprint(theirs.failed), fmt.Sprint(ours.failed); a != b {
		all = append(all, difference{"failed checks", a, b})
	}
	for _, id := range slices.Sorted(maps.Keys(union(theirs.phases, ours.phases))) {
		if a, b := strings.Join(theirs.phases[id], ", "), strings.Join(ours.phases[id], ", "); a != b {
			all = append(all, difference{"phases of " + id, a, b})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(union(theirs.objects, ours.objects))) {
		all = append(all, diffValues(id+" ", theirs.objects[id], ours.objects[id])...)
	}
	return all
}

func union[V any](a, b map[string]V) map[string]V {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
