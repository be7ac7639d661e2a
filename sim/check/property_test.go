package check

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A history of states, as a naive reader would record it: state i is in force
// from at[i] until at[i+1], both included, and the last one until the end.
type states struct {
	at           []time.Duration
	truth, cause []bool // of the condition, of the cause given as a condition
	event        int    // the state that the event left, or -1
	end          time.Duration
}

func drawStates(t *rapid.T) states {
	h := states{at: []time.Duration{0}, event: -1}
	n := rapid.IntRange(0, 8).Draw(t, "steps")
	for i := 0; i <= n; i++ {
		if i > 0 {
			h.at = append(h.at, h.at[i-1]+time.Duration(rapid.IntRange(0, 3).Draw(t, "wait"))*ms)
		}
		h.truth = append(h.truth, rapid.Bool().Draw(t, "truth"))
		h.cause = append(h.cause, rapid.IntRange(0, 2).Draw(t, "cause") == 0)
	}
	h.end = h.at[n] + time.Duration(rapid.IntRange(0, 5).Draw(t, "rest"))*ms
	if n > 0 && rapid.Bool().Draw(t, "happens") {
		h.event = rapid.IntRange(1, n).Draw(t, "event")
	}
	return h
}

// eventually is the definition: the first moment, from the cause on, of a state
// in which the condition is true.
func (h states) eventually(e *scenario.Eventually) bool {
	first, cause := 0, time.Duration(0)
	switch {
	case e.OfWhen != nil:
		for first < len(h.cause) && !h.cause[first] {
			first++
		}
		if first == len(h.cause) {
			return false
		}
		cause = h.at[first]
	case e.Of != nil && e.Of.Event != "":
		if h.event < 0 {
			return false
		}
		first, cause = h.event, h.at[h.event]
	case e.Of != nil:
		cause = e.Of.Offset
	}
	for i := first; i < len(h.at); i++ {
		until := h.end
		if i+1 < len(h.at) {
			until = h.at[i+1]
		}
		from := max(h.at[i], cause)
		if h.truth[i] && until >= from && from <= cause+e.Within {
			return true
		}
	}
	return false
}

// play drives a Monitor through the states.
func (h states) play(r *run) []Result {
	phase := func(v bool, yes string) string {
		if v {
			return yes
		}
		return "Other"
	}
	r.world.set("Pod", "d/p", phase(h.truth[0], "Running"))
	r.world.set("Node", "n", phase(h.cause[0], "Ready"))
	r.start()
	for i := 1; i < len(h.at); i++ {
		if i == h.event {
			r.monitor.Happened("change", h.at[i])
		}
		r.world.set("Node", "n", phase(h.cause[i], "Ready"))
		r.world.set("Pod", "d/p", phase(h.truth[i], "Running"))
		step := engine.Step{Point: engine.Point{Process: "kubelet", Verb: "update", N: i}, At: h.at[i]}
		if h.cause[i] != h.cause[i-1] {
			step.Changes = append(step.Changes, engine.Change{Ref: engine.ParseKey("Node", "n")})
		}
		if h.truth[i] != h.truth[i-1] {
			step.Changes = append(step.Changes, engine.Change{Ref: engine.ParseKey("Pod", "d/p")})
		}
		r.observe(step)
	}
	return r.finish(h.end)
}

func drawEventually(t *rapid.T) *scenario.Eventually {
	e := &scenario.Eventually{Expr: expression(running), Within: time.Duration(rapid.IntRange(0, 6).Draw(t, "within")) * ms}
	switch rapid.SampledFrom([]string{"start", "offset", "event", "when"}).Draw(t, "kind of cause") {
	case "offset":
		e.Of = &scenario.Instant{Offset: time.Duration(rapid.IntRange(0, 12).Draw(t, "offset")) * ms}
	case "event":
		e.Of = &scenario.Instant{Event: "change"}
	case "when":
		e.OfWhen = pointer(expression(`node("n").status.phase == "Ready"`))
	}
	return e
}

func TestEventuallyEqualsItsDefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h, e := drawStates(rt), drawEventually(rt)
		got := h.play(newRun(t, scenario.Check{Name: "c", Eventually: e}))[0]
		if want := h.eventually(e); got.OK != want {
			rt.Fatalf("verdict %v, want %v: %s\nstates %+v", got.OK, want, got.Message, h)
		}
	})
}

// tooMany is the definition of a rate: some request has too many before it, or
// at the same instant, within less than the window.
func tooMany(at []time.Duration, r *scenario.Rate) bool {
	for i := range at {
		inside := 0
		for j := 0; j <= i; j++ {
			if at[i]-at[j] < r.Per {
				inside++
			}
		}
		if inside > r.AtMost {
			return true
		}
	}
	return false
}

func TestRateEqualsItsDefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRun(t, scenario.Check{Name: "c", Rate: &scenario.Rate{
			Verb: "get", AtMost: rapid.IntRange(0, 4).Draw(rt, "at most"), Per: time.Duration(rapid.IntRange(1, 5).Draw(rt, "per")) * ms}}).start()
		var at []time.Duration
		now := time.Duration(0)
		for range rapid.IntRange(0, 15).Draw(rt, "steps") {
			now += time.Duration(rapid.IntRange(0, 3).Draw(rt, "wait")) * ms
			verb := rapid.SampledFrom([]string{"get", "list"}).Draw(rt, "verb")
			if verb == "get" {
				at = append(at, now)
			}
			r.observe(request("c", verb, "Pod", "d/p", now))
		}
		got := r.finish(now)[0]
		rate := r.monitor.spec.checks[0].Rate
		if want := !tooMany(at, rate) && (len(at) > 0 || rate.AtMost == 0); got.OK != want {
			rt.Fatalf("verdict %v, want %v: %s\nrequests at %v", got.OK, want, got.Message, at)
		}
	})
}

func TestTheSameRunGivesTheSameResults(t *testing.T) {
	checks := func(t *rapid.T) []scenario.Check {
		return []scenario.Check{
			{Name: "eventually", Eventually: drawEventually(t)},
			{Name: "always", Always: pointer(expression(`pods().all(p, p.status.phase == "Running")`))},
			{Name: "never", Never: pointer(expression(`node("n").status.phase == "Ready"`))},
			{Name: "stays", Stays: &scenario.Stays{Expr: expression(running), For: 2 * ms}},
			{Name: "rate", Rate: &scenario.Rate{AtMost: 1, Per: 2 * ms}},
			{Name: "quiet", Quiet: &scenario.Quiet{From: scenario.Instant{Offset: ms}}},
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		h, c := drawStates(rt), checks(rt)
		first, second := h.play(newRun(t, c...)), h.play(newRun(t, c...))
		if diff := cmp.Diff(first, second); diff != "" {
			rt.Fatalf("the same run gave two results:\n%s", diff)
		}
	})
	first := Dropped(droppedStory())
	for range 50 {
		if diff := cmp.Diff(first, Dropped(droppedStory())); diff != "" {
			t.Fatalf("the same trace gave two explanations:\n%s", diff)
		}
	}
}
