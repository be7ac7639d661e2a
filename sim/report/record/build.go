package record

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// Of makes the record of a run.
func Of(s Source) *Record {
	b := &builder{
		source: s, out: &Record{End: micros(s.Trace.End)},
		lanes: map[Lane]int{}, blobs: newPool(),
		written: map[writeKey]int{}, perturbed: map[string]engine.Perturbation{},
	}
	for _, p := range s.Schedule {
		b.perturbed[p.Point] = p
	}
	b.states()
	for i := range s.Trace.Steps {
		b.step(i)
	}
	b.notes()
	b.keys()
	b.checks()
	b.values()
	b.out.Blobs = b.blobs.list
	b.sortLanes()
	b.neverNil()
	return b.out
}

type builder struct {
	source    Source
	out       *Record
	lanes     map[Lane]int
	blobs     *pool
	written   map[writeKey]int // which step wrote a version
	perturbed map[string]engine.Perturbation
}

// writeKey names one revision of one object.
type writeKey struct {
	kind, key string
	version   uint64
}

// lane finds a lane, or opens it.
func (b *builder) lane(process, sort, name string) int {
	l := Lane{process, sort, name}
	if i, known := b.lanes[l]; known {
		return i
	}
	b.lanes[l] = len(b.out.Lanes)
	b.out.Lanes = append(b.out.Lanes, l)
	return b.lanes[l]
}

// laneOrder is how the lanes of one process stand below each other.
var laneOrder = []string{LaneStore, LaneRequests, LaneInformer, LaneQueue, LaneLog}

// CompareLanes is the order of lanes: the scenario's own steps first, then the
// API server, then the processes by name.
func CompareLanes(l, m Lane) int {
	rank := func(l Lane) int {
		switch l.Process {
		case engine.User:
			return 0
		case "":
			return 1
		}
		return 2
	}
	return cmp.Or(
		cmp.Compare(rank(l), rank(m)), cmp.Compare(l.Process, m.Process),
		cmp.Compare(slices.Index(laneOrder, l.Sort), slices.Index(laneOrder, m.Sort)), cmp.Compare(l.Name, m.Name))
}

// sortLanes puts the lanes in order and renumbers what refers to them.
func (b *builder) sortLanes() {
	order := make([]int, len(b.out.Lanes))
	for i := range order {
		order[i] = i
	}
	old := slices.Clone(b.out.Lanes)
	slices.SortFunc(order, func(x, y int) int { return CompareLanes(old[x], old[y]) })
	to := make([]int, len(order))
	for i, o := range order {
		to[o], b.out.Lanes[i] = i, old[o]
	}
	for i := range b.out.Steps {
		b.out.Steps[i].Lane = to[b.out.Steps[i].Lane]
		for j := range b.out.Steps[i].Changes {
			c := &b.out.Steps[i].Changes[j]
			c.Lane = to[c.Lane]
		}
	}
	for i := range b.out.Notes {
		b.out.Notes[i].Lane = to[b.out.Notes[i].Lane]
	}
	for i := range b.out.Keys {
		b.out.Keys[i].Lane = to[b.out.Keys[i].Lane]
	}
}

// neverNil makes empty lists out of none: readers of the JSON need no special case.
func (b *builder) neverNil() {
	r := b.out
	r.Lanes, r.Steps, r.Notes = orEmpty(r.Lanes), orEmpty(r.Steps), orEmpty(r.Notes)
	r.Attempts, r.Links, r.Keys = orEmpty(r.Attempts), orEmpty(r.Links), orEmpty(r.Keys)
	r.Checks, r.Values, r.Blobs = orEmpty(r.Checks), orEmpty(r.Values), orEmpty(r.Blobs)
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (b *builder) notes() {
	for i := range b.source.Trace.Notes {
		n := &b.source.Trace.Notes[i]
		note := Note{At: micros(n.At), After: n.After, Process: n.Process, Source: n.Source, Op: n.Op, Key: n.Key, Text: n.Text}
		switch n.Source {
		case engine.SourceLog, engine.SourceProcess:
			note.Lane = b.lane(n.Process, LaneLog, "")
		default:
			note.Lane = b.lane(n.Process, LaneQueue, n.Source)
		}
		b.out.Notes = append(b.out.Notes, note)
	}
}

func (b *builder) checks() {
	for _, c := range b.source.Checks {
		b.out.Checks = append(b.out.Checks, Check{
			Name: c.Name, OK: c.OK, At: micros(c.At), Message: c.Message, File: c.Pos.File, Line: c.Pos.Line,
		})
	}
}

func (b *builder) keys() {
	for _, k := range check.Keys(b.source.Trace, b.source.Limiters...) {
		key := len(b.out.Keys)
		out := Key{Process: k.Process, Queue: k.Queue, Name: k.Name, Fate: k.Fate, Lane: b.lane(k.Process, LaneQueue, k.Queue)}
		if k.Dropped && b.source.Unconverged {
			out.Dropped, out.Missed = true, k.Missed
		}
		b.out.Keys = append(b.out.Keys, out)
		for i := range k.Attempts {
			b.attempt(key, &k, i)
		}
	}
	slices.SortStableFunc(b.out.Attempts, func(x, y Attempt) int { return cmp.Compare(x.From, y.From) })
	b.wakes()
}

func (b *builder) attempt(key int, k *check.Key, i int) {
	a := &k.Attempts[i]
	out := Attempt{
		Key: key, Number: i + 1, From: micros(a.Start), To: micros(a.End),
		Delay: micros(a.Delay), Cap: micros(a.Cap), FirstStep: a.FirstStep, LastStep: a.LastStep,
	}
	out.Result = b.result(k, a)
	if out.Result == Done && i == len(k.Attempts)-1 {
		out.Result = Finished
		if k.Dropped && b.source.Unconverged {
			out.Result = Dropped
		}
	}
	b.out.Attempts = append(b.out.Attempts, out)
}

// result reads from the notes of an attempt how it ended.
func (b *builder) result(k *check.Key, a *check.Attempt) string {
	if a.Running {
		return Running
	}
	result := Done
	for i := a.FirstNote; i <= a.LastNote; i++ {
		n := &b.source.Trace.Notes[i]
		if n.Process != k.Process || n.Source != k.Queue || n.Key != k.Name {
			continue
		}
		switch n.Op {
		case engine.QueueRateLimited:
			result = Retry
		case engine.QueueAddAfter:
			result = Later
		case engine.QueueAdd:
			result = Again
		}
	}
	return result
}

// wakes links each delivery to the attempt that it led to: the next one of a key
// that the process added right after the delivery.
func (b *builder) wakes() {
	type place struct{ process, queue, key string }
	attempts := map[place][]int{}
	for i, a := range b.out.Attempts {
		k := b.out.Keys[a.Key]
		p := place{k.Process, k.Queue, k.Name}
		attempts[p] = append(attempts[p], i)
	}
	for i := range b.source.Trace.Notes {
		n := &b.source.Trace.Notes[i]
		if n.Op != engine.QueueAdd && n.Op != engine.QueueAddAfter || n.After == 0 {
			continue
		}
		cause := n.After - 1
		if s := b.out.Steps[cause]; s.Verb != engine.VerbDeliver || s.Process != n.Process {
			continue
		}
		for _, to := range attempts[place{n.Process, n.Source, n.Key}] {
			if b.out.Attempts[to].FirstStep >= n.After {
				b.out.Links = append(b.out.Links, Link{LinkWake, cause, to})
				break
			}
		}
	}
}

// failedOutcome tells outcomes that are no success. What a stand-in says of its
// own work is why it waits, which is no failure.
func failedOutcome(verb, outcome string) bool {
	if verb == engine.VerbWork || verb == engine.VerbTimer {
		return false
	}
	if outcome == "" || outcome == "ok" || outcome == "delivered" || strings.HasPrefix(outcome, "ok ") {
		return false
	}
	return len(outcome) < 3 || outcome[0] != '2' || outcome[1] != '0'
}
