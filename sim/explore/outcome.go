package explore

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"

	"github.com/vmreplay/vmreplay/sim/check"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// A Schedule is the perturbations of one run, at most one a point.
type Schedule []engine.Perturbation

// An Outcome is what a search wants to know of one run.
type Outcome struct {
	// Status is empty if the run can be judged, else sim.Hung or
	// sim.Nondeterministic, with Detail to explain it.
	Status, Detail string
	// Red says that something is wrong; Cause tells one such failure from another.
	Red   bool
	Cause Cause
	// Unapplied are the points of the schedule at which nothing was changed.
	Unapplied []string
	// Unplayed says that an event of the timeline failed or never happened, so
	// that this was another story, and that nothing else was wrong.
	Unplayed bool
	Hash     uint64 // of the trace
	// Order is the hash of the decisions and their outcomes without their times.
	Order uint64
	// Rejoins is the index of the written order's step from which on the two runs
	// take the same steps, whatever their times.
	Rejoins int
	// Extra are points of the processes under test that the written order has not.
	Extra []Decision
	Reach Reach
}

// A Decision is what a search knows of a step that it may perturb.
type Decision struct {
	engine.Point
	// Instant says that it took no time: a call that the client answers itself.
	Instant bool
}

// Reach is what a run reached that its player had not reported before.
type Reach struct {
	Points []string // decisions, without their numbers
	Rules  []string // "ctl: deliver Pod ADDED -> queue"
	States []string // "Pod Running"
	Judged []string // checks that were put to the test
}

// A Cause is why runs fail. Runs of one cause are one finding, however many
// schedules lead there.
type Cause struct {
	Check string `json:"check"` // the first that fails, in the order of the file
	// The key that is not where it should be, if there is one.
	Process string `json:"process,omitempty"`
	Queue   string `json:"queue,omitempty"`
	Key     string `json:"key,omitempty"`
	// State is what became of the key, and Why the last that its last attempt
	// logged, without what differs from run to run.
	State check.State `json:"state,omitempty"`
	Why   string      `json:"why,omitempty"`
}

// ID is a short name of the cause, the same wherever it is found.
func (c Cause) ID() string {
	h := fnv.New32a()
	fmt.Fprintf(h, "%q", c)
	return fmt.Sprintf("%08x", h.Sum32())
}

func (c Cause) String() string {
	if c.Key == "" {
		return strings.TrimSuffix(c.Check+": "+c.Why, ": ")
	}
	return fmt.Sprintf("%s: %s of %s %s: %s", c.Check, c.Key, c.Queue, c.State, c.Why)
}

// What differs between runs that fail for one reason: generated names
// (kube-apiserver's alphabet for them has no vowels), the values that a log line
// quotes or has after its message, resource versions, and which of its failures a
// request met.
var (
	generated = regexp.MustCompile(`-[bcdfghjklmnpqrstvwxz2456789]{5}\b`)
	quoted    = regexp.MustCompile(`"[^"]*"`)
	valued    = regexp.MustCompile(`=\S+`)
	injected  = regexp.MustCompile(`injected: .*`)
	versions  = regexp.MustCompile(`(?i)(resourceversion[ a-z]*\(?)\d+`)
)

func normalize(text string) string {
	text = injected.ReplaceAllString(text, "injected: *")
	text = versions.ReplaceAllString(generated.ReplaceAllString(text, "-*"), "$1*")
	return valued.ReplaceAllString(quoted.ReplaceAllString(text, `"*"`), "=*")
}
