package explore

import (
	"context"
	"slices"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// Options say how far a search goes. The zero value is a usable one.
type Options struct {
	// Budget is the number of schedules, of all shards together; 0 means
	// DefaultBudget.
	Budget int
	// Depth is how many perturbations go together in the systematic part, and the
	// depth of PCT; 0 means 2.
	Depth int
	// First ends the search at the first schedule that fails.
	First bool
	// Shard is the part of the work that is done, from 1 to Shards; 0 of 0 is all.
	Shard, Shards int
	// Progress is called after every few schedules. It may be nil.
	Progress func(Progress)
}

// DefaultBudget is enough for every single perturbation of a short story, and
// some hundred schedules of every later kind.
const DefaultBudget = 2000

// Progress is how far a search is.
type Progress struct {
	Phase       string // "single perturbations"
	Done, Total int    // schedules, of this shard
	Points      int    // decisions of the written order that were perturbed
	Of          int    // decisions of the written order
	Red         int    // schedules that failed
	Causes      int    // of those
}

// A Search looks for the orders that break one story under one variant.
type Search struct {
	player *Player
	runner Runner
	o      Options

	report    *Report
	choices   []engine.Perturbation
	singles   []single
	extra     []engine.Perturbation
	perturbed map[string]bool
	failing   map[Cause]*failing
	done      int
	total     int
}

// failing is a cause as it was first met.
type failing struct {
	first    int
	schedule Schedule
	hash     uint64
	runs     int
}

// maxNoVerdicts is after how many runs without a verdict a search ends.
const maxNoVerdicts = 5

// NewSearch prepares a search. The player, in this process, plays what decides
// where the search goes and shrinks what it finds; the runner plays the rest, and
// may be the player itself.
func NewSearch(p *Player, runner Runner, o Options) *Search {
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	if o.Depth == 0 {
		o.Depth = 2
	}
	if o.Shards == 0 {
		o.Shard, o.Shards = 1, 1
	}
	return &Search{
		player: p, runner: runner, o: o,
		perturbed: map[string]bool{}, failing: map[Cause]*failing{},
		report: &Report{
			Scenario: p.Story.Metadata.Name, Path: p.Story.Pos.File, Variant: p.Variant, Flags: p.flags(),
			Seed: p.Seed, Budget: o.Budget, Depth: o.Depth, Bound: p.Bound.String(),
			Shards: []int{o.Shard}, Of: o.Shards, PCT: p.pct(o.Depth),
			NeverApplied: []string{}, Findings: []Finding{}, NoVerdict: []NoVerdict{},
			Coverage: Coverage{
				PerturbedPoints: []string{}, Decisions: []string{}, Rules: []string{}, States: []string{}, Judged: []string{}, NeverJudged: []string{}, NeverReached: []string{},
			},
		},
	}
}

// Do searches until the budget is used or ctx ends, and shrinks what was found.
// The report is of what was done until then. An error means that the runner
// failed.
func (s *Search) Do(ctx context.Context) (*Report, error) {
	err := s.search(ctx)
	s.report.Interrupted = ctx.Err() != nil
	s.settle()
	return s.report, err
}

// A phase is a number of schedules that are made when their turn comes.
type phase struct {
	name  string
	count *int // of the report
	n     int
	make  func(i int) Schedule
	each  func(i int, o *Outcome) // sees every outcome, those of other shards too
}

func (s *Search) search(ctx context.Context) error {
	s.choices = s.player.choices()
	counts := &s.report.Schedules
	singles := min(len(s.choices), s.o.Budget-1)
	s.total = s.share(s.o.Budget)
	first := 1
	if s.owns(0) {
		counts.Written++
		s.done++
		s.take(0, nil, s.player.written.outcome)
		s.player.written.outcome.Reach = Reach{}
	}
	next := func(p phase) error {
		from := first
		first += p.n
		return s.play(ctx, from, p)
	}
	err := next(phase{
		name: "single perturbations", count: &counts.Singles, n: singles,
		make: func(i int) Schedule { return Schedule{s.choices[i]} },
		each: s.single,
	})
	if err != nil {
		return err
	}
	return s.deeper(s.o.Budget-1-singles, next)
}

// deeper are the phases after the single perturbations: half of what is left of
// the budget is for pairs, and half of the rest for PCT, until it may be expected
// to have met an order of its depth; random schedules use up what remains.
func (s *Search) deeper(left int, next func(phase) error) error {
	counts, seed := &s.report.Schedules, s.player.Seed
	var drawn []Schedule
	if s.o.Depth > 1 {
		all := pairsOf(s.singles, s.player.written.outcome.Order)
		drawn = all.draw(seed, left/2)
		s.report.Pairs = Pruned{All: pairCount(len(s.singles)), SameOrder: all.sameOrder, Independent: all.independent, Kept: len(all.kept)}
	}
	pct := s.report.PCT.within((left - len(drawn)) / 2)
	anything := slices.Concat(s.choices, s.extra)
	for _, p := range []phase{
		{name: "pairs", count: &counts.Pairs, n: len(drawn), make: func(i int) Schedule { return drawn[i] }},
		{name: "PCT", count: &counts.PCT, n: pct, make: func(i int) Schedule { return s.report.PCT.schedule(seed, uint64(i)) }},
		{name: "random", count: &counts.Random, n: left - len(drawn) - pct, make: func(i int) Schedule {
			return randomSchedule(anything, seed, uint64(i))
		}},
	} {
		if err := next(p); err != nil {
			return err
		}
	}
	return nil
}

// owns says whether a schedule is this shard's.
func (s *Search) owns(number int) bool { return number%s.o.Shards == s.o.Shard-1 }

// share is how many of the first n schedules are this shard's.
func (s *Search) share(n int) int { return (n + s.o.Shards - s.o.Shard) / s.o.Shards }

// batch is how many schedules a runner gets at a time for each that it can play
// at once.
const batch = 16

// play plays the schedules of a phase that are this shard's; where each has to
// see all, all.
func (s *Search) play(ctx context.Context, from int, p phase) error {
	scout := p.each != nil && s.o.Depth > 1
	for i := 0; i < p.n && !s.over(); {
		var numbers []int
		var schedules []Schedule
		for ; i < p.n && len(schedules) < batch*s.runner.Width(); i++ {
			if scout || s.owns(from+i) {
				numbers = append(numbers, i)
				schedules = append(schedules, p.make(i))
			}
		}
		outcomes, err := s.runner.Play(ctx, schedules)
		for j, o := range outcomes {
			if s.over() {
				break
			}
			if p.each != nil {
				p.each(numbers[j], o)
			}
			if number := from + numbers[j]; s.owns(number) {
				*p.count++
				s.done++
				s.take(number, schedules[j], o)
			}
		}
		if err != nil || ctx.Err() != nil {
			return err
		}
		s.progress(p.name)
	}
	return nil
}

// over says that the search need not go on.
func (s *Search) over() bool {
	return len(s.report.NoVerdict) >= maxNoVerdicts || s.o.First && len(s.failing) > 0
}

// single takes in what a perturbation does alone.
func (s *Search) single(i int, o *Outcome) {
	c := s.choices[i]
	for _, d := range o.Extra {
		s.extra = append(append(s.extra, perturbed(d)...), s.player.others(d)...)
	}
	if len(o.Unapplied) > 0 || o.Status != "" {
		return
	}
	s.singles = append(s.singles, single{
		Perturbation: c, at: s.player.indexOf(c.Point), rejoins: o.Rejoins, order: o.Order, red: o.Red,
	})
}

// take takes in the outcome of a schedule of this shard.
func (s *Search) take(number int, schedule Schedule, o *Outcome) {
	r := s.report
	if o.Status != string(sim.Judged) {
		r.NoVerdict = append(r.NoVerdict, NoVerdict{Number: number, Status: o.Status, Detail: o.Detail, Schedule: entries(schedule)})
		return
	}
	if len(o.Unapplied) > 0 {
		r.Unapplied++
		if number > 0 && number <= len(s.choices) {
			r.NeverApplied = union(r.NeverApplied, []string{Describe(schedule[0])})
		}
	}
	if o.Unplayed {
		r.Unplayed++
	}
	for _, p := range schedule {
		if !slices.Contains(o.Unapplied, p.Point) && s.player.written.points[p.Point] {
			s.perturbed[p.Point] = true
		}
	}
	c := &r.Coverage
	c.Decisions, c.Rules = union(c.Decisions, o.Reach.Points), union(c.Rules, o.Reach.Rules)
	c.States, c.Judged = union(c.States, o.Reach.States), union(c.Judged, o.Reach.Judged)
	if o.Red {
		r.Schedules.Red++
		s.fail(number, schedule, o)
	}
}

func (s *Search) fail(number int, schedule Schedule, o *Outcome) {
	f := s.failing[o.Cause]
	if f == nil {
		f = &failing{first: number, schedule: schedule, hash: o.Hash}
		s.failing[o.Cause] = f
	}
	f.runs++
}

func (s *Search) progress(phase string) {
	if s.o.Progress != nil {
		s.o.Progress(Progress{
			Phase: phase, Done: s.done, Total: s.total, Points: len(s.perturbed), Of: len(s.player.written.points),
			Red: s.report.Schedules.Red, Causes: len(s.failing),
		})
	}
}

func entries(s Schedule) []Entry {
	out := make([]Entry, 0, len(s))
	for _, p := range s {
		out = append(out, entryOf(p))
	}
	return out
}
