package engine

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// A waiter is a process that waits for an answer, and later for events.
type waiter struct {
	process string
	item    *item // until it is granted
	feed    *feed // of an open watch
}

// admit takes one arrival in.
func (e *Engine) admit(a *lockstep.Arrival) {
	switch a.Kind {
	case lockstep.Request:
		e.admitRequest(a)
	case lockstep.Call:
		e.admitCall(a)
	case lockstep.Cancel:
		e.forget(a.ID)
	case lockstep.Note:
		e.Note(Note{Process: a.Process, Source: a.Source, Op: a.Op, Key: a.Key, Text: a.Text})
	case lockstep.Exit:
		e.Note(Note{Process: a.Process, Source: SourceProcess, Op: OpExit, Text: a.Text})
		if e.cfg.Exited != nil {
			e.cfg.Exited(a.Process, a.Text)
		}
	case lockstep.Panic:
		e.Note(Note{Process: a.Process, Source: SourceProcess, Op: OpPanic, Text: a.Text})
		e.end(Stop{Cause: StopPanic, Point: Point{Process: a.Process}, Text: a.Text})
	}
}

// Source and operations of the notes about a process as a whole.
const (
	SourceProcess = "process"
	OpExit        = "exit"
	OpPanic       = "panic"
)

func (e *Engine) admitRequest(a *lockstep.Arrival) {
	req := &Request{Process: a.Process, Method: a.Method, Path: a.Path, Header: a.Header, Body: a.Body}
	info := e.cfg.Server.Describe(req)
	p := Point{
		Process: a.Process, Verb: info.Verb, Kind: info.Kind,
		Object: Ref{Namespace: info.Namespace, Name: info.Name}.Key(), Detail: info.Subresource,
	}
	if info.Kind == "" {
		p.Object = a.Path
	} else if info.Name == "" {
		p.Object = info.Namespace
	}
	id, w := a.ID, &waiter{process: a.Process}
	e.waiting[id] = w
	w.item = e.offer(p, e.cfg.Latency.Request, func() Outcome { return e.answer(id, w, req, info) })
}

// answer serves a granted request, unless the schedule has something else for it.
func (e *Engine) answer(id uint64, w *waiter, req *Request, info RequestInfo) Outcome {
	plan := e.plan(w.item.point)
	w.item = nil
	switch {
	case plan == nil:
	case plan.Status != 0:
		e.apply(plan, e.now)
		return e.refuse(id, plan.Status, req, info)
	case plan.Reset:
		e.apply(plan, e.now)
		return e.reset(id)
	case plan.Lost:
		e.apply(plan, e.now)
		e.execute(req, info)
		return e.reset(id)
	case plan.Crash == CrashBefore:
		return e.kill(plan, w.process)
	case plan.Crash == CrashAfter:
		e.execute(req, info)
		return e.kill(plan, w.process)
	case plan.Stale != 0:
		req.Stale = plan.Stale
		out := e.serve(id, w, req, info)
		if e.fronts.served(req, info) {
			e.apply(plan, e.now+plan.Stale)
		}
		return out
	}
	return e.serve(id, w, req, info)
}

// reset breaks the connection of a request or call.
func (e *Engine) reset(id uint64) Outcome {
	delete(e.waiting, id)
	e.out = append(e.out, lockstep.Action{Kind: lockstep.Fail, ID: id, Error: "read: connection reset by peer"})
	return Outcome{Text: "connection reset"}
}

// refuse answers a request with a failure that the server did not decide.
func (e *Engine) refuse(id uint64, status int, req *Request, info RequestInfo) Outcome {
	delete(e.waiting, id)
	reason, body := failure(status, info)
	e.keep(Exchange{Method: req.Method, Path: req.Path, Body: req.Body, Answer: body})
	header := map[string]string{"Content-Type": "application/json"}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		header["Retry-After"] = "1"
	}
	e.out = append(e.out, lockstep.Action{Kind: lockstep.Respond, ID: id, Status: status, Header: header, Body: body})
	return Outcome{Text: strconv.Itoa(status) + " " + reason}
}

// serve executes a granted request.
func (e *Engine) serve(id uint64, w *waiter, req *Request, info RequestInfo) Outcome {
	resp := e.execute(req, info)
	if resp.Watch == nil {
		delete(e.waiting, id)
		e.out = append(e.out, lockstep.Action{Kind: lockstep.Respond, ID: id, Status: resp.Status, Header: resp.Header, Body: resp.Body})
		return Outcome{Text: outcomeText(resp), Version: resp.Version}
	}
	e.out = append(e.out, lockstep.Action{Kind: lockstep.Open, ID: id, Status: resp.Status, Header: resp.Header})
	w.feed = e.open(req.Process, info.Kind, resp.Watch, func(ev Event) {
		e.out = append(e.out, lockstep.Action{Kind: lockstep.Send, ID: id, Body: e.seen(req.Process, ev.Frame())})
	})
	w.feed.broken = func(how Break) { e.breakStream(id, how) }
	return Outcome{Text: outcomeText(resp), Version: resp.Version}
}

// execute has the server answer a request, as the process sees it.
func (e *Engine) execute(req *Request, info RequestInfo) *Response {
	body := req.Body
	e.asWritten(req)
	e.fronts.ask(req, info, e.now)
	resp := e.cfg.Server.Serve(req)
	if resp.Stale {
		e.fronts.answered(req, info, e.now)
		e.healed = max(e.healed, e.now+req.Stale)
	}
	e.keep(Exchange{Method: req.Method, Path: req.Path, Body: body, Answer: resp.Body})
	if resp.Watch == nil {
		resp.Body = e.seen(req.Process, resp.Body)
	}
	return resp
}

// keep remembers the wording of what was asked and answered.
func (e *Engine) keep(x Exchange) {
	if e.cfg.Exchanges && e.step != nil {
		e.step.Exchange = &x
	}
}

func outcomeText(r *Response) string {
	if r.Reason == "" {
		return strconv.Itoa(r.Status)
	}
	return strconv.Itoa(r.Status) + " " + r.Reason
}

func (e *Engine) admitCall(a *lockstep.Arrival) {
	p := Point{Process: a.Process, Verb: VerbCall, Kind: a.System, Detail: a.Op}
	if len(a.Args) > 0 {
		p.Object = a.Args[0]
	}
	latency := e.cfg.Latency.Call
	if e.cfg.Local != nil && e.cfg.Local(a.System, a.Op) {
		latency = 0
	}
	id, w, call := a.ID, &waiter{process: a.Process}, *a
	e.waiting[id] = w
	w.item = e.offer(p, latency, func() Outcome { return e.answerCall(id, w, call) })
}

// answerCall makes a granted call, unless the schedule has something else for it.
func (e *Engine) answerCall(id uint64, w *waiter, a lockstep.Arrival) Outcome {
	plan := e.plan(w.item.point)
	w.item = nil
	switch {
	case plan == nil:
	case plan.Reset:
		e.apply(plan, e.now)
		return e.reset(id)
	case plan.Lost:
		e.apply(plan, e.now)
		e.call(id, a)
		e.out = e.out[:len(e.out)-1]
		return e.reset(id)
	case plan.Crash == CrashBefore:
		return e.kill(plan, w.process)
	case plan.Crash == CrashAfter:
		e.call(id, a)
		e.out = e.out[:len(e.out)-1]
		return e.kill(plan, w.process)
	}
	return e.call(id, a)
}

func (e *Engine) call(id uint64, a lockstep.Arrival) Outcome {
	delete(e.waiting, id)
	act, out := lockstep.Action{Kind: lockstep.Respond, ID: id}, Outcome{Text: "ok"}
	if e.cfg.Call == nil {
		act.Error = "no system " + strconv.Quote(a.System) + " in this run"
	} else if answer, err := e.cfg.Call(a.Process, a.System, a.Op, a.Args); err != nil {
		act.Error = err.Error()
	} else {
		act.Body = answer
	}
	if act.Error != "" {
		out.Text = act.Error
	}
	e.keep(Exchange{Args: a.Args, Answer: act.Body})
	e.out = append(e.out, act)
	return out
}

// forget drops what a client that gave up waited for.
func (e *Engine) forget(id uint64) {
	w, ok := e.waiting[id]
	if !ok {
		return
	}
	delete(e.waiting, id)
	if w.item != nil {
		e.drop(w.item)
	}
	if w.feed != nil {
		e.close(w.feed)
	}
}

// StartProcess starts a process in the bubble.
func (e *Engine) StartProcess(name string) {
	e.out = append(e.out, lockstep.Action{Kind: lockstep.Start, Process: name})
}

// StopProcess kills a process: what it waits for goes with it.
func (e *Engine) StopProcess(name string) {
	var ids []uint64
	for id, w := range e.waiting {
		if w.process == name {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		e.forget(id)
	}
	e.out = append(e.out, lockstep.Action{Kind: lockstep.Stop, Process: name})
}
