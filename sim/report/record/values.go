package record

import (
	"maps"
	"slices"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A world is the objects of a run at one of its steps, replayed from the trace.
type world map[string]map[string]map[string]any // kind, key, content

// Object implements expr.World.
func (w world) Object(kind, key string) map[string]any { return w[kind][key] }

// Objects implements expr.World.
func (w world) Objects(kind string) []map[string]any {
	var all []map[string]any
	for _, key := range slices.Sorted(maps.Keys(w[kind])) {
		all = append(all, w[kind][key])
	}
	return all
}

func (w world) apply(c engine.Change) {
	if w[c.Ref.Kind] == nil {
		w[c.Ref.Kind] = map[string]map[string]any{}
	}
	if c.After == nil || c.Type == engine.Deleted {
		delete(w[c.Ref.Kind], c.Ref.Key())
		return
	}
	w[c.Ref.Kind][c.Ref.Key()] = c.After.Content()
}

// states remembers the objects of the start, so that reads of them can be told.
func (b *builder) states() {
	for _, c := range b.source.Trace.Given {
		if c.After != nil {
			b.blobs.object(c.After)
		}
	}
}

// values follows what the conditions read through the run.
func (b *builder) values() {
	w := world{}
	for _, c := range b.source.Trace.Given {
		w.apply(c)
	}
	last := make([]*Values, len(b.source.Conditions))
	b.evaluate(w, -1, last)
	for i := range b.source.Trace.Steps {
		changes := b.source.Trace.Steps[i].Changes
		for _, c := range changes {
			w.apply(c)
		}
		if len(changes) > 0 {
			b.evaluate(w, i, last)
		}
	}
}

func (b *builder) evaluate(w world, step int, last []*Values) {
	for i, c := range b.source.Conditions {
		v := &Values{Step: step, Check: c.Check, Reads: []string{}}
		// An error is what is absent, which the values show.
		v.Holds, _ = c.Program.Eval(w)
		for _, value := range c.Program.Values(w) {
			v.Reads = append(v.Reads, value.String())
		}
		if last[i] != nil && last[i].Holds == v.Holds && slices.Equal(last[i].Reads, v.Reads) {
			continue
		}
		last[i] = v
		b.out.Values = append(b.out.Values, *v)
	}
}
