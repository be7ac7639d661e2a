package check

import (
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/scenario"
)

func TestEventually(t *testing.T) {
	within := func(d time.Duration) scenario.Eventually {
		return scenario.Eventually{Expr: expression(running), Within: d}
	}
	ofEvent := within(10 * ms)
	ofEvent.Of = &scenario.Instant{Event: "change"}
	ofOffset := within(10 * ms)
	ofOffset.Of = &scenario.Instant{Offset: 100 * ms}
	ofWhen := within(10 * ms)
	ofWhen.OfWhen = pointer(expression(`node("n").status.phase == "Ready"`))
	lasting := within(10 * ms)
	lasting.Lasting = true
	lastingOf := ofEvent
	lastingOf.Lasting = true
	tests := []struct {
		name  string
		check scenario.Eventually
		play  func(r *run)
		end   time.Duration
		want  verdict
	}{
		{"true at the start", within(0), func(r *run) { r.world.set("Pod", "d/p", "Running"); r.start() }, s,
			verdict{true, 0, "true at 0s, 0s after the start"}},
		{"true later", within(s), func(r *run) { r.start().pod(5*ms, "Running") }, s,
			verdict{true, 5 * ms, "true at 5ms, 5ms after the start"}},
		{"true for a moment", within(s), func(r *run) { r.start().pod(5*ms, "Running").pod(5*ms, "Failed") }, s,
			verdict{true, 5 * ms, "true at 5ms, 5ms after the start"}},
		{"exactly at the bound", within(5 * ms), func(r *run) { r.start().pod(5*ms, "Running") }, s,
			verdict{true, 5 * ms, "true at 5ms, 5ms after the start"}},
		{"a microsecond late", within(5 * ms), func(r *run) { r.start().pod(5*ms+us, "Running") }, s,
			verdict{false, 5 * ms, "not true within 5ms of the start at 0s, so by 5ms\ntrue at 5.001ms, 1µs too late"}},
		{"never", within(5 * ms), func(r *run) { r.start().pod(2*ms, "Pending") }, s,
			verdict{false, 5 * ms, "not true within 5ms of the start at 0s, so by 5ms\nat the end of the run:\n  pod(\"d/p\").status.phase = \"Pending\""}},
		{"the run is too short", within(2 * s), func(r *run) { r.start() }, s,
			verdict{false, s, "not true within 2s of the start at 0s, so by 2s; the run ended at 1s\nat the end of the run:\n  pod(\"d/p\") = absent"}},

		{"true after the event's own step", ofEvent, func(r *run) { r.start().event(20*ms, "change", "Running") }, s,
			verdict{true, 20 * ms, `true at 20ms, 0s after event "change"`}},
		{"true only until the event's own step", ofEvent, func(r *run) { r.start().pod(ms, "Running").event(20*ms, "change", "Pending") }, s,
			verdict{false, 30 * ms, "not true within 10ms of event \"change\" at 20ms, so by 30ms\nat the end of the run:\n  pod(\"d/p\").status.phase = \"Pending\""}},
		{"exactly at the bound of the event", ofEvent, func(r *run) { r.start().event(20*ms, "change", "Pending").pod(30*ms, "Running") }, s,
			verdict{true, 30 * ms, `true at 30ms, 10ms after event "change"`}},
		{"the first of two events counts", ofEvent, func(r *run) {
			r.start().event(20*ms, "change", "Pending").event(40*ms, "change", "Running")
		}, s, verdict{false, 30 * ms, "not true within 10ms of event \"change\" at 20ms, so by 30ms\ntrue at 40ms, 10ms too late"}},
		{"an event between steps", ofEvent, func(r *run) {
			r.start().pod(ms, "Running")
			r.monitor.Happened("change", 20*ms)
			r.pod(25*ms, "Failed")
		}, s, verdict{true, 20 * ms, `true at 20ms, 0s after event "change"`}},
		{"an event after the last step", ofEvent, func(r *run) {
			r.start().pod(ms, "Running")
			r.monitor.Happened("change", 20*ms)
		}, s, verdict{true, 20 * ms, `true at 20ms, 0s after event "change"`}},
		{"no event", ofEvent, func(r *run) { r.start().pod(ms, "Running") }, s,
			verdict{false, s, `vacuous: the event "change" never happened`}},

		{"true when the instant comes", ofOffset, func(r *run) { r.start().pod(ms, "Running") }, s,
			verdict{true, 100 * ms, "true at 100ms, 0s after the instant 100ms"}},
		{"true until the instant comes", ofOffset, func(r *run) { r.start().pod(ms, "Running").pod(100*ms, "Failed") }, s,
			verdict{true, 100 * ms, "true at 100ms, 0s after the instant 100ms"}},
		{"true until just before the instant", ofOffset, func(r *run) { r.start().pod(ms, "Running").pod(100*ms-us, "") }, s,
			verdict{false, 110 * ms, "not true within 10ms of the instant 100ms at 100ms, so by 110ms\nat the end of the run:\n  pod(\"d/p\") = absent"}},
		{"the instant is after the end", ofOffset, func(r *run) { r.start().pod(ms, "Running") }, 50 * ms,
			verdict{false, 50 * ms, "vacuous: the run ended at 50ms, before 100ms"}},

		{"of a condition", ofWhen, func(r *run) { r.start().node(20*ms, "Ready").pod(30*ms, "Running") }, s,
			verdict{true, 30 * ms, `true at 30ms, 10ms after node("n").status.phase == "Ready"`}},
		{"a microsecond too long after a condition", ofWhen, func(r *run) { r.start().node(20*ms, "Ready").node(21*ms, "").pod(30*ms+us, "Running") }, s,
			verdict{false, 30 * ms, "not true within 10ms of node(\"n\").status.phase == \"Ready\" at 20ms, so by 30ms\ntrue at 30.001ms, 1µs too late"}},
		{"before the condition only", ofWhen, func(r *run) { r.start().pod(ms, "Running").pod(2*ms, "Failed").node(20*ms, "Ready") }, s,
			verdict{false, 30 * ms, "not true within 10ms of node(\"n\").status.phase == \"Ready\" at 20ms, so by 30ms\nat the end of the run:\n  pod(\"d/p\").status.phase = \"Failed\""}},
		{"the condition never came", ofWhen, func(r *run) { r.start().pod(ms, "Running").node(ms, "NotReady") }, s,
			verdict{false, s, "vacuous: its cause was never true: node(\"n\").status.phase == \"Ready\"\nat the end of the run:\n  node(\"n\").status.phase = \"NotReady\""}},

		{"lasting, to the end", lasting, func(r *run) { r.start().pod(ms, "Running").node(2*ms, "Ready") }, s,
			verdict{true, ms, "true at 1ms, 1ms after the start"}},
		{"lasting, after a break in time", lasting, func(r *run) { r.start().pod(ms, "Running").pod(2*ms, "").pod(3*ms, "Running") }, s,
			verdict{true, 3 * ms, "true at 3ms, 3ms after the start"}},
		{"lasting, with a break after the bound", lasting, func(r *run) { r.start().pod(ms, "Running").pod(20*ms, "").pod(21*ms, "Running") }, s,
			verdict{false, 10 * ms, "not true within 10ms of the start at 0s, so by 10ms; and it must stay true\ntrue at 21ms, 11ms too late"}},
		{"lasting, but it did not last", lasting, func(r *run) { r.start().pod(ms, "Running").pod(20*ms, "Failed") }, s,
			verdict{false, 10 * ms, "not true within 10ms of the start at 0s, so by 10ms; and it must stay true\nat the end of the run:\n  pod(\"d/p\").status.phase = \"Failed\""}},
		{"lasting, broken by the event's own step", lastingOf, func(r *run) { r.start().pod(ms, "Running").event(20*ms, "change", "Pending") }, s,
			verdict{false, 30 * ms, "not true within 10ms of event \"change\" at 20ms, so by 30ms; and it must stay true\nat the end of the run:\n  pod(\"d/p\").status.phase = \"Pending\""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRun(t, scenario.Check{Name: "c", Eventually: &tt.check})
			tt.play(r)
			wantVerdict(t, r.finish(tt.end), tt.want)
		})
	}
}

func TestEventuallyNamesAMistakeInTheExpression(t *testing.T) {
	r := newRun(t, scenario.Check{Name: "c", Eventually: &scenario.Eventually{Expr: expression(`pod("d/p").status.phase < 3`), Within: s}})
	r.start().pod(ms, "Running")
	wantVerdict(t, r.finish(2*s), verdict{false, s, "not true within 1s of the start at 0s, so by 1s\nat the end of the run:\n" +
		"  pod(\"d/p\").status.phase = \"Running\"\n  pod(\"d/p\").status.phase < 3: the values are not of types that go together"})
}

// With grace, what a check counts from need not come, or not in time: in another
// order there may be nothing to demand. Such a result says that it is vacuous.
func TestVacuousWithGrace(t *testing.T) {
	ofEvent := scenario.Eventually{Expr: expression(running), Within: s, Of: &scenario.Instant{Event: "change"}}
	ready := expression(`node("n").status.phase == "Ready"`)
	ofWhen := scenario.Eventually{Expr: expression(running), Within: s, OfWhen: &ready}
	tests := []struct {
		name  string
		check scenario.Check
	}{
		{"eventually, with a deadline after the end", scenario.Check{Name: "c", Eventually: &ofWhen}},
		{"eventually, without its cause", scenario.Check{Name: "c", Eventually: &ofEvent}},
		{"stays, never true", scenario.Check{Name: "c", Stays: &scenario.Stays{Expr: expression(running)}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, graced := range []bool{false, true} {
				r := newRun(t, tt.check)
				r.start().pod(ms, "Pending").node(1500*ms, "Ready")
				if graced {
					r.monitor.Forgive(Grace{Healed: ms, Bound: s})
				}
				if got := r.finish(2 * s)[0]; got.OK != graced || got.Vacuous != graced {
					t.Errorf("with grace %v: ok %v, vacuous %v: %s", graced, got.OK, got.Vacuous, got.Message)
				}
			}
		})
	}
}
