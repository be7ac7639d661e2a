package sim_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// perturbed plays a story with one perturbation twice. It fails if the two runs
// differ, if nothing was perturbed, or if the run is that without.
func perturbed(t *testing.T, s *sim.Story, variant string, schedule ...engine.Perturbation) *sim.Result {
	t.Helper()
	o := sim.Options{Seed: 1, Schedule: schedule, Bound: time.Minute}
	r := sim.Confirm(sim.Run(t, s, variant, o), sim.Run(t, s, variant, o))
	if r.Status != sim.Judged {
		t.Fatal(summary(r))
	}
	if len(r.Unapplied) > 0 {
		t.Fatalf("not applied: %q in\n%s", r.Unapplied, strings.Join(linesOf(r, ""), "\n"))
	}
	if plain := sim.Run(t, s, variant, sim.Options{Seed: 1, Bound: time.Minute}); plain.Trace.Hash == r.Trace.Hash {
		t.Fatal("the perturbed run is the one without")
	}
	return r
}

// linesOf are the steps that begin with a text, each with its time and outcome.
func linesOf(r *sim.Result, point string) []string {
	var out []string
	for i := range r.Trace.Steps {
		if s := &r.Trace.Steps[i]; strings.HasPrefix(s.Point.String(), point) {
			out = append(out, fmt.Sprintf("%v %s: %s", s.At, s.Point, s.Outcome))
		}
	}
	return out
}

// at is when a point was granted.
func at(t *testing.T, r *sim.Result, point string) time.Duration {
	t.Helper()
	i := slices.IndexFunc(r.Trace.Steps, func(s engine.Step) bool { return s.Point.String() == point })
	if i < 0 {
		t.Fatalf("no step %s in\n%s", point, strings.Join(linesOf(r, ""), "\n"))
	}
	return r.Trace.Steps[i].At
}

const (
	ctl       = "kube-ovn-controller: "
	getVMIM   = ctl + "get VirtualMachineInstanceMigration default/migration"
	setUpCall = ctl + "call ovn-nb vm.default set-migrate-options"
	sourcePod = "default/virt-launcher-vm-source"
)

// Every perturbation, on the real clients of a controller: that it has its effect,
// and which.
func TestPerturbationsApply(t *testing.T) {
	tests := []struct {
		name    string
		story   string
		perturb engine.Perturbation
		want    []string // steps
	}{
		{"a list is late, as a request is", "live-migration", engine.Perturbation{Point: ctl + "list Pod #1", Delay: time.Second}, []string{
			"1.001s " + ctl + "list Pod #1: 200"}},
		{"a request breaks off, and is not repeated at once", "live-migration", engine.Perturbation{Point: getVMIM + " #1", Reset: true}, []string{
			getVMIM + " #1: connection reset", getVMIM + " #2: 200"}},
		{"a call is made, and its reply is lost", "live-migration", engine.Perturbation{Point: setUpCall + " #1", Lost: true}, []string{
			setUpCall + " #1: connection reset", "deliver LogicalSwitchPort vm.default MODIFIED #1"}},
		{"a watch breaks and goes on", "live-migration", engine.Perturbation{Point: ctl + "deliver VirtualMachineInstanceMigration default/migration MODIFIED #1", Break: engine.BreakAgain}, []string{
			"MODIFIED #1: watch broken", ctl + "watch VirtualMachineInstanceMigration #2: 200", ctl + "deliver VirtualMachineInstanceMigration default/migration MODIFIED #2: delivered"}},
		{"a watch breaks with 410, and lists without a missed deletion", "live-migration", engine.Perturbation{Point: ctl + "deliver VirtualMachineInstanceMigration default/migration MODIFIED #1", Break: engine.BreakGone}, []string{
			"MODIFIED #1: watch broken", ctl + "list VirtualMachineInstanceMigration #2: 200"}},
		{"a watch breaks with 410, and misses a deletion", "two-migrations", engine.Perturbation{Point: ctl + "deliver Pod " + sourcePod + " DELETED #1", Break: engine.BreakGone}, []string{
			"DELETED #1: watch broken", ctl + "list Pod #2: 200"}},
		{"the process dies before a call", "live-migration", engine.Perturbation{Point: setUpCall + " #1", Crash: engine.CrashBefore, Restart: time.Second}, []string{
			setUpCall + " #1: killed", ctl + "start #2: ok", setUpCall + " #2: ok"}},
		{"the process dies after a call", "live-migration", engine.Perturbation{Point: setUpCall + " #1", Crash: engine.CrashAfter, Restart: time.Second}, []string{
			setUpCall + " #1: killed", "deliver LogicalSwitchPort vm.default MODIFIED #1", ctl + "start #2: ok"}},
		{"a user does it again, in vain", "two-migrations", engine.Perturbation{Point: "user: delete Pod " + sourcePod + " #1", Repeat: time.Minute}, []string{
			"user: delete Pod " + sourcePod + " #1: ok", "user: delete Pod " + sourcePod + " #2: pods \"virt-launcher-vm-source\" not found"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := perturbed(t, story(t, "vmim/"+test.story+".yaml"), "wake", test.perturb)
			all := strings.Join(linesOf(r, ""), "\n")
			wantLines(t, all, test.want...)
			if i := slices.IndexFunc(r.Checks, func(c check.Result) bool { return c.Name == sim.CheckTimeline }); i >= 0 {
				t.Errorf("the timeline fails: %s", r.Checks[i].Message)
			}
		})
	}
}

// Every failure that an API server has, as client-go takes it: it asks again by
// itself where the answer says when.
func TestRefusalsApply(t *testing.T) {
	tests := []struct {
		status int
		reason string
		waits  bool // client-go itself waits as long as Retry-After says
	}{
		{http.StatusBadRequest, "BadRequest", false}, {http.StatusUnauthorized, "Unauthorized", false}, {http.StatusForbidden, "Forbidden", false},
		{http.StatusNotFound, "NotFound", false}, {http.StatusConflict, "Conflict", false}, {http.StatusGone, "Expired", false},
		{http.StatusUnprocessableEntity, "Invalid", false}, {http.StatusTooManyRequests, "TooManyRequests", true},
		{http.StatusInternalServerError, "InternalError", false}, {http.StatusServiceUnavailable, "ServiceUnavailable", true},
		{http.StatusGatewayTimeout, "Timeout", false},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.status), func(t *testing.T) {
			r := perturbed(t, story(t, "vmim/live-migration.yaml"), "wake", engine.Perturbation{Point: getVMIM + " #1", Status: test.status})
			wantLines(t, strings.Join(linesOf(r, getVMIM), "\n"), fmt.Sprintf("#1: %d %s", test.status, test.reason), "#2: 200")
			after := at(t, r, getVMIM+" #2") - at(t, r, getVMIM+" #1")
			if waited := after == 1001*time.Millisecond; waited != test.waits {
				t.Errorf("asked again after %v, want the 1 s of Retry-After: %v", after, test.waits)
			}
		})
	}
}

// A process that is cut off neither asks nor hears; then all of it comes, in order.
func TestPause(t *testing.T) {
	r := perturbed(t, story(t, "vmim/live-migration.yaml"), "wake", engine.Perturbation{Point: setUpCall + " #1", Pause: 20 * time.Second})
	end := at(t, r, setUpCall+" #1")
	for _, s := range r.Trace.Steps {
		if s.Point.Process == "kube-ovn-controller" && s.At > end-20*time.Second && s.At < end {
			t.Errorf("at %v, while the process is cut off until %v: %s", s.At, end, s.Point)
		}
	}
	if late := at(t, r, ctl+"deliver VirtualMachineInstanceMigration default/migration MODIFIED #4"); late < end {
		t.Errorf("a delivery at %v overtakes the end at %v", late, end)
	}
}

// The n-th write of a controller, and what is around it.
func TestWritesArePerturbed(t *testing.T) {
	s := story(t, "kvvm/scheduled-normally.yaml")
	var writes []string
	for _, step := range sim.Run(t, s, "level", sim.Options{Seed: 1}).Trace.Steps {
		if step.Point.Process == "virtualization-controller" && len(step.Changes) > 0 {
			writes = append(writes, step.Point.String())
		}
	}
	if len(writes) < 3 {
		t.Fatalf("%d writes: %q", len(writes), writes)
	}
	for n, point := range writes[:3] {
		for _, test := range []struct {
			name     string
			perturb  engine.Perturbation
			executed bool
		}{
			{"lost", engine.Perturbation{Lost: true}, true},
			{"reset", engine.Perturbation{Reset: true}, false},
			{"crash before", engine.Perturbation{Crash: engine.CrashBefore, Restart: time.Second}, false},
			{"crash after", engine.Perturbation{Crash: engine.CrashAfter, Restart: time.Second}, true},
		} {
			t.Run(fmt.Sprintf("%s, write %d", test.name, n+1), func(t *testing.T) {
				test.perturb.Point = point
				r := perturbed(t, s, "level", test.perturb)
				i := slices.IndexFunc(r.Trace.Steps, func(s engine.Step) bool { return s.Point.String() == point })
				if executed := len(r.Trace.Steps[i].Changes) > 0; executed != test.executed {
					t.Errorf("executed: %v, want %v: %+v", executed, test.executed, r.Trace.Steps[i])
				}
			})
		}
	}
}
