package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/expr"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// Options of a run. The zero value is a usable one.
type Options struct {
	// Seed decides everything that is random in a run.
	Seed uint64
	// Schedule perturbs single decisions, beside the story's own schedule.
	Schedule []engine.Perturbation
	// Bound, if it is not 0, judges the run as one of a search: what must happen
	// eventually has that long after the last event of the timeline and the last
	// perturbation, the run lasts that long, and checks that are about the written
	// schedule are left out.
	Bound time.Duration
	// Value is read at the end of the run, for Result.Value.
	Value *expr.Program
	// Stuck is the real time without progress after which a run is given up; 0
	// means lockstep's default.
	Stuck time.Duration
	// Exchanges keeps the wording of requests and answers in the trace, for runs
	// that are to be looked at.
	Exchanges bool
	// Subjects replaces the controllers that the module brings along.
	Subjects []Subject
	// Runner makes the bubble, instead of lockstep.Run: a lockstep.Remote has the
	// controllers in a process of their own, and Subjects does not count then.
	Runner Runner
	// Second makes the run that confirms a failure, if it is not to be Runner: one in
	// a process that nothing has run in before.
	Second Runner
	// Latency is how long requests, deliveries and calls take; the zero value means
	// the engine's defaults.
	Latency engine.Latency
	// Server makes the API server of the world, instead of a simulated one.
	Server func(clock engine.Clock) (API, State)
}

// A Runner makes one run in a bubble, here or in another process.
type Runner func(newEngine func(start time.Time) lockstep.Engine, o lockstep.Options) lockstep.Report

// Run plays a story once under a variant. t only serves to make the bubble.
func Run(t *testing.T, story *Story, variant string, o Options) *Result {
	quiet()
	if story.Seed != nil {
		o.Seed = *story.Seed
	}
	if o.Bound == 0 {
		o.Bound = story.Grace
	}
	r := &Result{Story: story, Variant: variant, Seed: o.Seed}
	defer story.alone()()
	var w *World
	var broken error
	report := o.runner(t)(func(start time.Time) lockstep.Engine {
		if w, broken = NewWorld(story, variant, start, o); broken != nil {
			return ended{}
		}
		return w
	}, lockstep.Options{Programs: programs(story, variant, o), Horizon: story.Until + horizon(story, variant, o), Stuck: o.Stuck, Seed: o.Seed})
	switch {
	case broken != nil:
		r.Checks = []check.Result{{Name: CheckTimeline, Message: broken.Error(), Pos: story.Pos}}
		r.Trace = &engine.Trace{}
	case report.Hung != "":
		r.Status, r.Detail, r.Trace = Hung, report.Hung, &engine.Trace{}
	default:
		w.result(r, report, o.Value)
	}
	return r
}

func (w *World) result(r *Result, report lockstep.Report, value *expr.Program) {
	r.Trace = w.Engine.Trace()
	r.Checks = w.judge(report)
	r.Value = w.value(value)
	r.Unapplied = w.Engine.Unapplied()
}

func (o *Options) runner(t *testing.T) Runner {
	if o.Runner != nil {
		return o.Runner
	}
	return func(newEngine func(time.Time) lockstep.Engine, lo lockstep.Options) lockstep.Report {
		return lockstep.Run(t, newEngine, lo)
	}
}

// horizon is how much longer than the story a run may take: perturbations delay
// its end.
func horizon(story *Story, variant string, o Options) time.Duration {
	if o.Bound == 0 {
		return 0
	}
	sum := o.Bound
	for _, p := range slices.Concat(story.schedule(variant), o.Schedule) {
		sum += p.Lasts()
	}
	return sum
}

// ended is the engine of a run that cannot begin.
type ended struct{}

func (ended) Quiesced(time.Duration, []lockstep.Arrival) lockstep.Turn {
	return lockstep.Turn{Done: true}
}

// Programs are the processes of a story under a variant, by name.
func Programs(story *Story, variant string) map[string]lockstep.Program {
	quiet()
	return programs(story, variant, Options{})
}

// programs are the processes of a story.
func programs(story *Story, variant string, o Options) map[string]lockstep.Program {
	subjects := o.Subjects
	if subjects == nil {
		subjects = Subjects()
	}
	out := map[string]lockstep.Program{}
	for _, c := range story.Controllers {
		for _, s := range subjects {
			if s.Type == c.Type {
				out[c.Name] = func(ctx context.Context, env *lockstep.Env) error { return s.Run(ctx, env, variant) }
				if c.Lease != "" {
					out[c.Name] = elected(out[c.Name], engine.ParseKey("Lease", c.Lease))
				}
			}
		}
	}
	return out
}

// judge asks the story's checks, and those that every story has.
func (w *World) judge(report lockstep.Report) []check.Result {
	if w.bound > 0 {
		w.monitor.Forgive(check.Grace{Healed: w.healed(), Bound: w.bound})
	}
	results := w.monitor.Finish(w.Engine.Trace())
	add := func(name, message string) {
		if message != "" {
			results = append(results, check.Result{Name: name, Message: message, At: w.Engine.Trace().End, Pos: w.Story.Pos})
		}
	}
	timeline, informers := w.script.verdict()
	switch stop := w.Engine.Stopped(); stop.Cause {
	case engine.StopPanic:
		add(CheckNoPanic, fmt.Sprintf("%s panicked: %s", stop.Point.Process, stop.Text))
		timeline, informers = nil, nil // the run was cut short
	case engine.StopHotLoop, engine.StopBudget:
		add(CheckHotLoop, check.HotLoop(w.Engine.Trace(), stop))
		timeline, informers = nil, nil
	}
	if w.Story.Grace > 0 {
		// Its schedule was found for one variant; another may not take the decisions
		// that it perturbs, and so not bring its events about.
		timeline, informers = nil, nil
	}
	results = w.addUnapplied(results)
	add(CheckTimeline, strings.Join(timeline, "\n"))
	add(CheckInformers, strings.Join(informers, "\n"))
	add(CheckNoLeak, strings.Join(report.Leaks, "\n"))
	add(CheckNoExit, strings.Join(exits(w.Engine.Trace()), "\n"))
	return results
}

// value is what one field of an object is at the end, without the quotes of JSON.
func (w *World) value(p *expr.Program) string {
	if p == nil {
		return ""
	}
	return strings.Trim(p.Values(w)[0].Text, `"`)
}

// exits lists the processes that ended by themselves.
func exits(t *engine.Trace) []string {
	var out []string
	for _, n := range t.Notes {
		if n.Source == engine.SourceProcess && n.Op == engine.OpExit && n.Text != errDeposed.Error() {
			out = append(out, fmt.Sprintf("%s ended by itself at %v: %s", n.Process, n.At, orNone(n.Text)))
		}
	}
	return out
}

func orNone(s string) string {
	if s == "" {
		return "no error"
	}
	return s
}
