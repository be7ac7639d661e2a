package record

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vmreplay/vmreplay/sim/engine"
)

func (b *builder) step(i int) {
	s := &b.source.Trace.Steps[i]
	p := s.Point
	out := Step{
		At: micros(s.At), Raised: micros(s.Raised), Process: p.Process, Verb: p.Verb, Kind: p.Kind, Object: p.Object,
		Detail: p.Detail, N: p.N, Outcome: s.Outcome, Failed: failedOutcome(p.Verb, s.Outcome), Version: s.Version, State: -1,
	}
	if plan, ok := b.perturbed[p.String()]; ok {
		out.Perturbed = Deed(plan)
	}
	if p.Verb == engine.VerbDeliver {
		out.Lane = b.lane(p.Process, LaneInformer, p.Kind)
		b.delivery(i, s, &out)
	} else {
		out.Lane = b.lane(p.Process, LaneRequests, "")
	}
	for _, c := range s.Changes {
		out.Changes = append(out.Changes, b.change(i, c))
	}
	if s.Exchange != nil {
		out.Exchange = b.exchange(s.Exchange, &out)
	}
	b.out.Steps = append(b.out.Steps, out)
}

// Deed says what a perturbation does.
func Deed(p engine.Perturbation) string {
	var all []string
	add := func(on bool, format string, args ...any) {
		if on {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add(p.Delay > 0, "delayed by %v", p.Delay)
	add(p.Status != 0, "refused with %d", p.Status)
	add(p.Reset, "connection reset before it was executed")
	add(p.Lost, "executed, but the reply was lost")
	add(p.Break == engine.BreakAgain, "watch broken")
	add(p.Break == engine.BreakGone, "watch broken: too old (410)")
	add(p.Crash != "", "process killed %s it, started again after %v", p.Crash, p.Restart)
	add(p.Repeat > 0, "repeated after %v", p.Repeat)
	add(p.Stale > 0 && p.Crash == "", "answered with the state of %v before", p.Stale)
	add(p.Stale > 0 && p.Crash != "", "listing the state of %v before", p.Stale)
	add(p.Clock > 0, "the process' clock is %v ahead from here on", p.Clock)
	add(p.Clock < 0, "the process' clock is %v behind from here on", -p.Clock)
	add(p.Pause > 0, "the process is cut off for %v", p.Pause)
	add(p.Steal, "the lease was stolen before it")
	return strings.Join(all, "; ")
}

func (b *builder) delivery(i int, s *engine.Step, out *Step) {
	for _, slow := range b.source.Slowed {
		out.Held = out.Held || slow.covers(s.Point)
	}
	if s.Revision == nil {
		return
	}
	key := s.Revision.Ref().Key()
	out.State = b.blobs.object(s.Revision)
	if from, known := b.written[writeKey{s.Point.Kind, key, s.Version}]; known {
		b.out.Links = append(b.out.Links, Link{LinkWrite, from, i})
	}
}

func (b *builder) change(i int, c engine.Change) Change {
	out := Change{Type: c.Type, Kind: c.Ref.Kind, Key: c.Ref.Key(), Before: -1, After: -1, Lane: b.lane("", LaneStore, c.Ref.Kind)}
	if c.Before != nil {
		out.Before = b.blobs.object(c.Before)
	}
	if c.After != nil {
		out.After, out.Version = b.blobs.object(c.After), c.After.Version()
	} else {
		out.Version = b.source.Trace.Steps[i].Version
	}
	b.written[writeKey{out.Kind, out.Key, out.Version}] = i
	return out
}

// maxText is how much of a body is kept that is not JSON of bearable size.
const maxText = 2 << 10

func (b *builder) exchange(x *engine.Exchange, out *Step) *Exchange {
	e := &Exchange{Method: x.Method, Path: x.Path, Args: x.Args, Body: -1, Answer: -1}
	e.Body = b.body(x.Body, nil)
	e.Answer = b.body(x.Answer, e)
	// An answer that is one object of a known revision is that object.
	if out.State < 0 && e.Answer >= 0 && out.Verb == "get" && !out.Failed {
		out.State = e.Answer
	}
	return e
}

// maxJSON is the largest body that is kept as it is: lists can be long.
const maxJSON = 16 << 10

// body keeps a body as a blob if it is JSON. Of other bodies, and long ones, an
// answer keeps the beginning as a text.
func (b *builder) body(body []byte, into *Exchange) int {
	if len(body) > 0 && len(body) <= maxJSON && json.Valid(body) {
		return b.blobs.json(body)
	}
	if into != nil && len(body) > 0 {
		kept := body[:min(len(body), maxText)]
		into.Text, into.Cut = strings.ToValidUTF8(string(kept), "\uFFFD"), len(body)-len(kept)
	}
	return -1
}
