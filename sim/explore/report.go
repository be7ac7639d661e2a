package explore

import (
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
)

// A Report is what a search did and found. Nothing in it depends on the machine.
type Report struct {
	Scenario string `json:"scenario"`
	Path     string `json:"path"`
	Variant  string `json:"variant"`
	// Flags is what a command needs besides to play this in a source tree.
	Flags  string `json:"flags,omitempty"`
	Seed   uint64 `json:"seed"`
	Budget int    `json:"budget"`
	Depth  int    `json:"depth"`
	// Bound is how long after everything was healed all had to be right.
	Bound string `json:"bound"`
	// Shards are the parts of the whole that this report is of, from 1 to Of.
	Shards []int `json:"shards"`
	Of     int   `json:"of"`
	// Interrupted says that the search ended before its budget was used.
	Interrupted bool `json:"interrupted"`

	Schedules Counts `json:"schedules"`
	Pairs     Pruned `json:"pairs"`
	PCT       PCT    `json:"pct"`
	// Unapplied is in how many runs a perturbation found nothing to change, and
	// NeverApplied are the single perturbations that did so.
	Unapplied    int      `json:"unapplied"`
	NeverApplied []string `json:"neverApplied"`
	// Unplayed is in how many runs an event of the timeline failed or never
	// happened, with nothing else wrong.
	Unplayed int `json:"unplayed"`

	Coverage  Coverage    `json:"coverage"`
	Findings  []Finding   `json:"findings"`
	NoVerdict []NoVerdict `json:"noVerdict"`
}

// Counts are how many schedules were played, by phase.
type Counts struct {
	Written int `json:"written"`
	Singles int `json:"singles"`
	Pairs   int `json:"pairs"`
	PCT     int `json:"pct"`
	Random  int `json:"random"`
	Red     int `json:"red"` // of all of them
}

// Total is the number of all schedules.
func (c Counts) Total() int { return c.Written + c.Singles + c.Pairs + c.PCT + c.Random }

// Pruned is what became of the pairs of single perturbations.
type Pruned struct {
	All         int `json:"all"`
	SameOrder   int `json:"sameOrder"`
	Independent int `json:"independent"`
	Kept        int `json:"kept"`
}

// Coverage is what was reached.
type Coverage struct {
	// Points are the decisions of the written order, and Perturbed those of them
	// at which a perturbation applied.
	Points          int      `json:"points"`
	Perturbed       int      `json:"perturbed"`
	PerturbedPoints []string `json:"perturbedPoints"`
	// Decisions are the kinds of decision of all orders, Rules the deliveries that
	// enqueued something, States the phases of objects.
	Decisions []string `json:"decisions"`
	Rules     []string `json:"rules"`
	States    []string `json:"states"`
	// Judged are the checks that were put to the test, NeverJudged those that were
	// not: what they count from never came.
	Judged      []string `json:"judged"`
	NeverJudged []string `json:"neverJudged"`
	// NeverReached are the conditions that should be true sometimes, and were in no
	// run.
	NeverReached []string `json:"neverReached"`
}

// A Finding is one cause for which runs fail, with its smallest schedule.
type Finding struct {
	ID    string `json:"id"`
	Cause Cause  `json:"cause"`
	// Runs is how many schedules failed for it, First the number of the first.
	Runs  int `json:"runs"`
	First int `json:"first"`
	// Schedule is the shrunk one, in words what it does, and what came of it.
	Schedule []Entry  `json:"schedule"`
	Story    []string `json:"story"`
	Message  string   `json:"message"`
	// Dropped are the names of the timeline's events that the finding does not
	// need, Until the shorter length of the run.
	Dropped []string `json:"dropped,omitempty"`
	Until   string   `json:"until"`
	// File is the scenario that was written, if one was.
	File string `json:"file,omitempty"`

	schedule Schedule
	reduced  reduction
	hash     uint64
}

// An Entry is a perturbation as scenarios write it.
type Entry struct {
	Point   string `json:"point" yaml:"point"`
	Delay   string `json:"delay,omitempty" yaml:"delay,omitempty"`
	Status  int    `json:"status,omitempty" yaml:"status,omitempty"`
	Reset   bool   `json:"reset,omitempty" yaml:"reset,omitempty"`
	Lost    bool   `json:"lost,omitempty" yaml:"lost,omitempty"`
	Break   string `json:"break,omitempty" yaml:"break,omitempty"`
	Crash   string `json:"crash,omitempty" yaml:"crash,omitempty"`
	Restart string `json:"restart,omitempty" yaml:"restart,omitempty"`
	Repeat  string `json:"repeat,omitempty" yaml:"repeat,omitempty"`
	Stale   string `json:"stale,omitempty" yaml:"stale,omitempty"`
	Clock   string `json:"clock,omitempty" yaml:"clock,omitempty"`
	Pause   string `json:"pause,omitempty" yaml:"pause,omitempty"`
	Steal   bool   `json:"steal,omitempty" yaml:"steal,omitempty"`
}

func entryOf(p engine.Perturbation) Entry {
	return Entry{
		Point: p.Point, Delay: orEmpty(p.Delay), Status: p.Status, Reset: p.Reset, Lost: p.Lost,
		Break: string(p.Break), Crash: string(p.Crash), Restart: orEmpty(p.Restart), Repeat: orEmpty(p.Repeat),
		Stale: orEmpty(p.Stale), Clock: orEmpty(p.Clock), Pause: orEmpty(p.Pause), Steal: p.Steal,
	}
}

// Perturbation is an entry of this search as a run takes it.
func (e *Entry) Perturbation() engine.Perturbation {
	return engine.Perturbation{
		Point: e.Point, Delay: duration(e.Delay), Status: e.Status, Reset: e.Reset, Lost: e.Lost,
		Break: engine.Break(e.Break), Crash: engine.Crash(e.Crash), Restart: duration(e.Restart), Repeat: duration(e.Repeat),
		Stale: duration(e.Stale), Clock: duration(e.Clock), Pause: duration(e.Pause), Steal: e.Steal,
	}
}

// duration reads what the search itself has written.
func duration(text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic("a finding has the duration " + text)
	}
	return d
}

func orEmpty(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// A NoVerdict is a run that is hung or nondeterministic.
type NoVerdict struct {
	Number   int     `json:"number"`
	Status   string  `json:"status" yaml:"status"`
	Detail   string  `json:"detail"`
	Schedule []Entry `json:"schedule"`
}
