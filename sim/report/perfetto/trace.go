package perfetto

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/report/page"
	"github.com/vmreplay/vmreplay/sim/report/record"
)

// Phases of events that are used here, as the format names them.
const (
	phaseMeta       = "M"
	phaseSlice      = "X"
	phaseInstant    = "i"
	phaseFlowStart  = "s"
	phaseFlowEnd    = "f"
	phaseAsyncBegin = "b"
	phaseAsyncEnd   = "e"
)

// moment is the length of a slice for what takes no time: a flow arrow needs a
// slice at both of its ends.
const moment = 0.5

type event struct {
	Phase    string         `json:"ph"`
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	At       float64        `json:"ts"`
	Length   *float64       `json:"dur,omitempty"`
	ID       int            `json:"id,omitempty"`
	Bind     string         `json:"bp,omitempty"`
	Scope    string         `json:"s,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// Write writes the records of all runs as one trace; runs without one are left out.
func Write(w io.Writer, runs []page.Run) error {
	t := &tracer{}
	for _, r := range runs {
		if r.Record != nil {
			t.run(r)
		}
	}
	out := struct {
		Unit   string  `json:"displayTimeUnit"`
		Events []event `json:"traceEvents"`
	}{"ms", t.events}
	if out.Events == nil {
		out.Events = []event{}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

type tracer struct {
	events    []event
	processes int
	flows     int // flows and asynchronous events share their numbers
}

// A run in a trace: where its lanes are.
type run struct {
	*tracer
	record  *record.Record
	process []int // by lane
	thread  []int // by lane: the first thread; further workers are above all lanes
}

func (t *tracer) run(p page.Run) {
	r := &run{tracer: t, record: p.Record}
	r.lanes(p.Scenario + ", " + p.Variant)
	for i := range p.Record.Steps {
		r.step(&p.Record.Steps[i])
	}
	for _, n := range p.Record.Notes {
		if lane := p.Record.Lanes[n.Lane]; lane.Sort == record.LaneLog {
			r.instant(n.Lane, n.At, n.Op, map[string]any{"text": n.Text})
		}
	}
	threads := r.attempts()
	r.links(threads)
	for _, c := range p.Record.Checks {
		if !c.OK && len(r.process) > 0 {
			r.events = append(r.events, event{
				Phase: phaseInstant, Name: "violated: " + c.Name, Category: "check", Process: r.process[0], At: c.At, Scope: "g",
				Args: map[string]any{"message": c.Message},
			})
		}
	}
}

// lanes names processes and threads.
func (r *run) lanes(title string) {
	last := "\x00"
	for i, l := range r.record.Lanes {
		if l.Process != last {
			last = l.Process
			r.processes++
			r.meta("process_name", r.processes, 0, title+": "+processName(l))
			r.sortIndex("process_sort_index", r.processes, 0, r.processes)
		}
		r.process = append(r.process, r.processes)
		r.thread = append(r.thread, i+1)
		r.meta("thread_name", r.processes, i+1, threadName(l))
		r.sortIndex("thread_sort_index", r.processes, i+1, i+1)
	}
}

func (r *run) meta(what string, process, thread int, name string) {
	r.events = append(r.events, event{Phase: phaseMeta, Name: what, Process: process, Thread: thread, Args: map[string]any{"name": name}})
}

func (r *run) sortIndex(what string, process, thread, index int) {
	r.events = append(r.events, event{Phase: phaseMeta, Name: what, Process: process, Thread: thread, Args: map[string]any{"sort_index": index}})
}

func processName(l record.Lane) string {
	switch l.Process {
	case "":
		return "API server"
	case engine.User:
		return "scenario"
	}
	return l.Process
}

func threadName(l record.Lane) string {
	switch l.Sort {
	case record.LaneStore:
		return "writes of " + l.Name
	case record.LaneInformer:
		return "informer " + l.Name
	case record.LaneQueue:
		return "worker of " + l.Name
	case record.LaneLog:
		return "log"
	}
	return "requests"
}

func (r *run) step(s *record.Step) {
	name := strings.Join(strings.Fields(s.Verb+" "+s.Detail+" "+s.Kind+" "+s.Object), " ")
	args := map[string]any{"outcome": s.Outcome, "point": fmt.Sprintf("%s: %s #%d", s.Process, name, s.N)}
	if s.Version != 0 {
		args["resourceVersion"] = s.Version
	}
	if s.Perturbed != "" {
		args["perturbed"] = s.Perturbed
	}
	for _, c := range s.Changes {
		r.slice(c.Lane, r.thread[c.Lane], s.At, moment, c.Type+" "+c.Key, "write", args)
	}
	if r.record.Lanes[s.Lane].Sort != record.LaneInformer {
		r.instant(s.Lane, s.At, name, args)
		return
	}
	r.slice(s.Lane, r.thread[s.Lane], s.At, moment, name, "deliver", args)
	if s.At > s.Raised {
		// Several events of one watch may be on their way at once, so this is no
		// slice of the thread.
		r.flows++
		gap := event{Phase: phaseAsyncBegin, Name: "on its way: " + s.Object, Category: "staleness", Process: r.process[s.Lane], Thread: r.thread[s.Lane], At: s.Raised, ID: r.flows}
		r.events = append(r.events, gap)
		gap.Phase, gap.At = phaseAsyncEnd, s.At
		r.events = append(r.events, gap)
	}
}

func (r *run) instant(lane int, at float64, name string, args map[string]any) {
	r.events = append(r.events, event{
		Phase: phaseInstant, Name: name, Category: "step", Process: r.process[lane], Thread: r.thread[lane], At: at, Scope: "t", Args: args,
	})
}

func (r *run) slice(lane, thread int, at, length float64, name, category string, args map[string]any) {
	r.events = append(r.events, event{
		Phase: phaseSlice, Name: name, Category: category, Process: r.process[lane], Thread: thread, At: at, Length: &length, Args: args,
	})
}

// attempts draws the work on keys, overlapping attempts on threads of their own.
// It returns the thread of each attempt.
func (r *run) attempts() []int {
	threads := make([]int, len(r.record.Attempts))
	ends := map[int][]float64{} // lane -> by worker, when it is free
	for i, a := range r.record.Attempts {
		lane := r.record.Keys[a.Key].Lane
		worker := 0
		for worker < len(ends[lane]) && ends[lane][worker] > a.From {
			worker++
		}
		length := max(a.To-a.From, moment)
		if worker == len(ends[lane]) {
			ends[lane] = append(ends[lane], 0)
		}
		ends[lane][worker] = a.From + length
		threads[i] = r.worker(lane, worker)
		r.slice(lane, threads[i], a.From, length, r.record.Keys[a.Key].Name, "attempt", map[string]any{
			"attempt": a.Number, "result": a.Result, "backOffBefore": a.Delay,
		})
	}
	return threads
}

// worker is the thread of a queue's worker; those beyond the first are named
// when they are first used.
func (r *run) worker(lane, worker int) int {
	if worker == 0 {
		return r.thread[lane]
	}
	lanes := len(r.record.Lanes)
	thread := lanes*worker + lane + 1
	r.meta("thread_name", r.process[lane], thread, fmt.Sprintf("worker %d of %s", worker+1, r.record.Lanes[lane].Name))
	r.sortIndex("thread_sort_index", r.process[lane], thread, lane+1)
	return thread
}

// links draws the flow arrows.
func (r *run) links(threads []int) {
	for _, l := range r.record.Links {
		from := r.record.Steps[l.From]
		r.flows++
		start := event{Phase: phaseFlowStart, Name: l.Sort, Category: "cause", Process: r.process[from.Lane], Thread: r.thread[from.Lane], At: from.At, ID: r.flows}
		end := event{Phase: phaseFlowEnd, Name: l.Sort, Category: "cause", ID: r.flows, Bind: "e"}
		if l.Sort == record.LinkWrite {
			to := r.record.Steps[l.To]
			store := storeLane(from, to)
			if store < 0 {
				continue
			}
			start.Process, start.Thread = r.process[store], r.thread[store]
			end.Process, end.Thread, end.At = r.process[to.Lane], r.thread[to.Lane], to.At
		} else {
			a := r.record.Attempts[l.To]
			end.Process, end.Thread, end.At = r.process[r.record.Keys[a.Key].Lane], threads[l.To], a.From
		}
		r.events = append(r.events, start, end)
	}
}

// storeLane is where the write stands that a step delivers.
func storeLane(from, to record.Step) int {
	for _, c := range from.Changes {
		if c.Kind == to.Kind && c.Key == to.Object {
			return c.Lane
		}
	}
	return -1
}
