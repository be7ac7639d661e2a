package engine

import (
	"slices"
	"time"
)

// A feed is one watch on its way into one cache. Events wait in line; only the
// first one is on the agenda, so that a watch never reorders.
type feed struct {
	process string
	kind    string
	watch   Watch
	deliver func(Event)
	line    []pending
	last    time.Duration // when the newest delivery was due
	offered *item         // the first in line, if it is on the agenda
	broken  func(Break)   // ends the watch from the server's side; nil for stand-ins
	closed  bool
}

// pending is an event that was committed but not yet delivered.
type pending struct {
	event Event
	item  *item
}

// Feed implements Gate.
func (e *Engine) Feed(process, kind string, w Watch, deliver func(Event)) (stop func()) {
	f := e.open(process, kind, w, deliver)
	return func() { e.close(f) }
}

func (e *Engine) open(process, kind string, w Watch, deliver func(Event)) *feed {
	f := &feed{process: process, kind: kind, watch: w, deliver: deliver}
	e.feeds = append(e.feeds, f)
	f.last = e.fronts.goesOn(process, kind)
	w.Open(func(ev Event) { e.queue(f, ev) })
	return f
}

func (e *Engine) close(f *feed) {
	if f.closed {
		return
	}
	f.closed = true
	f.watch.Close()
	if f.offered != nil {
		e.drop(f.offered)
	}
	f.line, f.offered = nil, nil
	e.feeds = slices.DeleteFunc(e.feeds, func(g *feed) bool { return g == f })
}

// queue puts an event in line.
func (e *Engine) queue(f *feed, ev Event) {
	if f.closed {
		return
	}
	p := Point{Process: f.process, Verb: VerbDeliver, Kind: f.kind, Detail: ev.Type}
	if ev.Revision != nil {
		p.Object = ev.Revision.Ref().Key()
	}
	it := e.raise(p, nil)
	it.run = func() Outcome { return e.pass(f) }
	f.line = append(f.line, pending{ev, it})
	e.advance(f)
}

// advance puts the first in line on the agenda, unless a hold stops it.
func (e *Engine) advance(f *feed) {
	if f.closed || f.offered != nil || len(f.line) == 0 {
		return
	}
	first := f.line[0]
	lag, held := e.clockOf(f, first.event)
	if held {
		return
	}
	due := first.item.raised + lag + e.extra(first.item.point)
	f.last = max(f.last, due, e.now)
	f.offered = first.item
	e.add(first.item, f.last)
}

// pass delivers the first in line.
func (e *Engine) pass(f *feed) Outcome {
	if plan := e.plan(f.offered.point); plan != nil && plan.Break != "" && f.broken != nil {
		e.apply(plan, e.now)
		f.broken(plan.Break)
		return Outcome{Text: "watch broken"}
	}
	ev := f.line[0].event
	f.line = f.line[1:]
	f.offered = nil
	out := Outcome{Text: "delivered"}
	if ev.Revision != nil {
		out.Version = ev.Revision.Version()
		e.step.Revision = ev.Revision
	}
	f.deliver(ev)
	if ev.Type == Error && f.broken != nil {
		// The server has no more to say on this watch.
		f.broken(BreakAgain)
		return out
	}
	e.advance(f)
	return out
}
