package engine

import "net/http"

// VerbSteal is the decision in which a lease changes hands.
const VerbSteal = "steal"

// intercepted has a perturbation begin that comes before its decision, and says
// that the decision is put off: its process is cut off, or its lease is stolen.
func (e *Engine) intercepted(it *item) bool {
	if len(e.schedule) == 0 {
		return false
	}
	if plan := e.plan(it.point); plan != nil && !plan.begun {
		plan.begun = true
		e.begin(plan, it)
	}
	if it.index >= 0 {
		return true // behind the theft
	}
	// A process that is cut off can start: what it lacks is the network.
	if until := e.paused[it.point.Process]; until > e.now && it.point.Verb != VerbStart {
		e.add(it, until)
		return true
	}
	return false
}

func (e *Engine) begin(plan *planned, it *item) {
	process := it.point.Process
	switch {
	case plan.Clock != 0:
		e.clocks[process] = plan
	case plan.Pause > 0:
		e.paused[process] = e.now + plan.Pause
		e.apply(plan, e.now+plan.Pause)
	case plan.Steal:
		e.After(Point{Process: User, Verb: VerbSteal, Kind: "Lease", Object: "of " + process}, 0, func() Outcome { return e.steal(plan, process) })
		e.add(it, e.now)
	}
}

func (e *Engine) steal(plan *planned, process string) Outcome {
	if e.cfg.Steal == nil {
		return Outcome{Text: "nothing can be stolen in this run"}
	}
	if err := e.cfg.Steal(process); err != nil {
		return Outcome{Text: err.Error()}
	}
	e.apply(plan, e.now)
	return Outcome{Text: "ok"}
}

// asWritten puts a request as a process with its clock writes it.
func (e *Engine) asWritten(r *Request) {
	plan := e.clocks[r.Process]
	if plan == nil || len(r.Body) == 0 {
		return
	}
	if r.Header["Content-Type"] != "" && (r.Method == http.MethodPost || r.Method == http.MethodPut) {
		body, err := e.cfg.Server.JSON(r)
		if err != nil {
			return // the server refuses it, too
		}
		header := map[string]string{}
		for name, value := range r.Header {
			header[name] = value
		}
		header["Content-Type"] = "application/json"
		r.Header, r.Body = header, body
	}
	r.Body = e.shifted(plan, r.Body, plan.Clock)
}

// seen is what the server sends as a process with its clock sees it: for one that
// is ahead, all of it happened that much earlier.
func (e *Engine) seen(process string, body []byte) []byte {
	plan := e.clocks[process]
	if plan == nil {
		return body
	}
	return e.shifted(plan, body, -plan.Clock)
}
