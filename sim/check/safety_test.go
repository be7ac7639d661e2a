package check

import (
	"testing"

	"github.com/vmreplay/vmreplay/sim/scenario"
)

func TestAlways(t *testing.T) {
	tests := []struct {
		name   string
		source string
		play   func(r *run)
		want   verdict
	}{
		{"true throughout", running, func(r *run) { r.world.set("Pod", "d/p", "Running"); r.start().pod(ms, "Running") },
			verdict{true, s, "true at every write"}},
		{"not at the start", running, func(r *run) { r.start().pod(ms, "Running") },
			verdict{false, 0, "not true at the start: pod(\"d/p\") does not exist\n  pod(\"d/p\") = absent"}},
		{"for a moment not", running, func(r *run) {
			r.world.set("Pod", "d/p", "Running")
			r.start().pod(81*s+945*ms, "Pending").pod(81*s+945*ms, "Running").pod(90*s, "Failed")
		}, verdict{false, 81*s + 945*ms, "not true at 81.945s, after kubelet: update Pod d/p #1\n  pod(\"d/p\").status.phase = \"Pending\""}},
		{"guarded", `pod("d/p") == null || pod("d/p").status.phase == "Running"`, func(r *run) { r.start().pod(ms, "Running").pod(2*ms, "") },
			verdict{true, s, "true at every write"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRun(t, scenario.Check{Name: "c", Always: pointer(expression(tt.source))})
			tt.play(r)
			wantVerdict(t, r.finish(s), tt.want)
		})
	}
}

func TestNever(t *testing.T) {
	failed := `pod("d/p").status.phase == "Failed"`
	tests := []struct {
		name   string
		source string
		play   func(r *run)
		want   verdict
	}{
		{"never true", failed, func(r *run) { r.start().pod(ms, "Running") }, verdict{true, s, "true at no write"}},
		{"true at the start", failed, func(r *run) { r.world.set("Pod", "d/p", "Failed"); r.start().pod(ms, "Running") },
			verdict{false, 0, "true at the start\n  pod(\"d/p\").status.phase = \"Failed\""}},
		{"true for a moment", failed, func(r *run) { r.start().pod(ms, "Failed").pod(ms, "Running") },
			verdict{false, ms, "true at 1ms, after kubelet: update Pod d/p #1\n  pod(\"d/p\").status.phase = \"Failed\""}},
		{"an object that never exists", failed, func(r *run) { r.start().node(ms, "Ready") },
			verdict{false, s, "vacuous: it could not be evaluated once; at the end of the run pod(\"d/p\") does not exist\n" +
				"if the object need not exist, say so: OBJECT != null && ..."}},
		{"an object that need not exist", `pod("d/p") != null && ` + failed, func(r *run) { r.start() }, verdict{true, s, "true at no write"}},
		{"a field that is never set", `pod("d/p").status.reason == "Evicted"`, func(r *run) { r.start().pod(ms, "Running") },
			verdict{true, s, "true at no write"}},
		{"a mistake", `pod("d/p").status.phase < 3`, func(r *run) { r.start().pod(ms, "Running") },
			verdict{false, s, "vacuous: it could not be evaluated once; at the end of the run " +
				"pod(\"d/p\").status.phase < 3: the values are not of types that go together"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRun(t, scenario.Check{Name: "c", Never: pointer(expression(tt.source))})
			tt.play(r)
			wantVerdict(t, r.finish(s), tt.want)
		})
	}
}

func TestStays(t *testing.T) {
	tests := []struct {
		name  string
		check scenario.Stays
		play  func(r *run)
		want  verdict
	}{
		{"to the end", scenario.Stays{}, func(r *run) { r.start().pod(ms, "Running").pod(2*ms, "Running") },
			verdict{true, s, "true from 1ms to the end"}},
		{"not to the end", scenario.Stays{}, func(r *run) { r.start().pod(ms, "Running").pod(5*ms, "Failed") },
			verdict{false, 5 * ms, "true from 1ms, but only for 4ms: no longer at 5ms, after kubelet: update Pod d/p #1\n  pod(\"d/p\").status.phase = \"Failed\""}},
		{"exactly long enough", scenario.Stays{For: 4 * ms}, func(r *run) { r.start().pod(ms, "Running").pod(5*ms, "Failed") },
			verdict{true, 5 * ms, "true from 1ms, for at least 4ms"}},
		{"a microsecond too short", scenario.Stays{For: 4 * ms}, func(r *run) { r.start().pod(ms, "Running").pod(5*ms-us, "") },
			verdict{false, 5*ms - us, "true from 1ms, but only for 3.999ms: no longer at 4.999ms, after kubelet: update Pod d/p #1\n  pod(\"d/p\") = absent"}},
		{"true again does not help", scenario.Stays{For: 4 * ms}, func(r *run) { r.start().pod(ms, "Running").pod(2*ms, "Failed").pod(3*ms, "Running") },
			verdict{false, 2 * ms, "true from 1ms, but only for 1ms: no longer at 2ms, after kubelet: update Pod d/p #1\n  pod(\"d/p\").status.phase = \"Failed\""}},
		{"the run ends exactly then", scenario.Stays{For: s}, func(r *run) { r.world.set("Pod", "d/p", "Running"); r.start() },
			verdict{true, s, "true from 0s, for at least 1s"}},
		{"the run ends before", scenario.Stays{For: s}, func(r *run) { r.start().pod(us, "Running") },
			verdict{false, s, "true from 1µs, but the run ended at 1s, before 1s had passed"}},
		{"never true", scenario.Stays{}, func(r *run) { r.start().pod(ms, "Pending") },
			verdict{false, s, "never true, so it cannot stay so\nat the end of the run:\n  pod(\"d/p\").status.phase = \"Pending\""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.check.Expr = expression(running)
			r := newRun(t, scenario.Check{Name: "c", Stays: &tt.check})
			tt.play(r)
			wantVerdict(t, r.finish(s), tt.want)
		})
	}
}
