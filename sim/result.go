package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// Status says whether a run can be believed.
type Status string

// A run is Judged, or it is one of the others and has no verdict.
const (
	Judged           Status = ""
	Nondeterministic Status = "nondeterministic" // two runs of one story differ
	Hung             Status = "hung"             // the bubble stopped making progress
)

// Names of the checks that every story has. They are in a result only when
// they fail.
const (
	CheckHotLoop   = scenario.HotLoop         // one key was asked for too often, or too many steps
	CheckNoPanic   = scenario.NoPanic         // a process panicked
	CheckNoLeak    = scenario.NoLeak          // a goroutine outlived its process
	CheckNoExit    = scenario.NoExit          // a process ended by itself
	CheckSchedule  = scenario.ScheduleApplies // a perturbation never applied
	CheckTimeline  = scenario.Timeline        // an event of the timeline failed or never happened
	CheckInformers = scenario.Informers       // a lag or hold never applied
)

// A Result is what one run of one story under one variant gave.
type Result struct {
	Story   *Story
	Variant string
	Seed    uint64
	Status  Status
	// Detail explains a Status that is not Judged.
	Detail string
	Checks []check.Result
	Trace  *engine.Trace
	// Value is what Options.Value was at the end of the run.
	Value string
	// Unapplied are the points of the schedule at which nothing was changed.
	Unapplied []string
}

// Failed are the names of the checks that do not hold, sorted.
func (r *Result) Failed() []string {
	var names []string
	for _, c := range r.Checks {
		if !c.OK {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Red says that some check does not hold.
func (r *Result) Red() bool { return len(r.Failed()) > 0 }

// Surprise says how the run differs from the verdict that the story has written
// down for its variant; it is empty if it does not.
func (r *Result) Surprise() string {
	if r.Status != Judged {
		return string(r.Status)
	}
	expected, failed := r.Story.Expected(r.Variant), r.Failed()
	if slices.Equal(expected, failed) {
		return ""
	}
	return fmt.Sprintf("expected %s, found %s", colour(expected), colour(failed))
}

func colour(checks []string) string {
	if len(checks) == 0 {
		return "green"
	}
	return "red by " + strings.Join(checks, ", ")
}
