package explore

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// settle makes a finding of every cause, in the order in which they were met.
func (s *Search) settle() {
	coverage := &s.report.Coverage
	for c := range s.player.checks() {
		switch _, judged := slices.BinarySearch(coverage.Judged, c.Name); {
		case judged:
		case c.Sometimes != nil:
			coverage.NeverReached = append(coverage.NeverReached, c.Name)
		default:
			coverage.NeverJudged = append(coverage.NeverJudged, c.Name)
		}
	}
	coverage.PerturbedPoints = slices.AppendSeq(coverage.PerturbedPoints, maps.Keys(s.perturbed))
	slices.Sort(coverage.PerturbedPoints)
	coverage.Points, coverage.Perturbed = len(s.player.written.points), len(s.perturbed)
	var causes []Cause
	for c := range s.failing {
		causes = append(causes, c)
	}
	slices.SortFunc(causes, func(a, b Cause) int { return cmp.Compare(s.failing[a].first, s.failing[b].first) })
	for _, c := range causes {
		s.finding(c, s.failing[c])
	}
}

// checks are the checks of the story that a search makes.
func (p *Player) checks() iter.Seq[*scenario.Check] {
	return func(yield func(*scenario.Check) bool) {
		for i := range p.Story.Expect {
			c := &p.Story.Expect[i]
			made := len(c.Variants) == 0 || slices.Contains(c.Variants, p.Variant)
			if made && c.Searchable() && !yield(c) {
				return
			}
		}
	}
}

// finding confirms a cause, shrinks its schedule and tells its story. A failure
// that does not repeat is no finding but a run without a verdict.
func (s *Search) finding(c Cause, f *failing) {
	first, second := s.player.run(f.schedule), s.player.run(f.schedule)
	if confirmed := sim.Confirm(first, second); confirmed.Status != sim.Judged || first.Trace.Hash != f.hash {
		detail := confirmed.Detail
		if confirmed.Status == sim.Judged {
			detail = "the run differs from process to process: its hash is not the one that was found first"
		}
		s.report.NoVerdict = append(s.report.NoVerdict, NoVerdict{
			Number: f.first, Status: string(cmp.Or(confirmed.Status, sim.Nondeterministic)), Detail: detail, Schedule: entries(f.schedule),
		})
		return
	}
	small := Shrink(f.schedule, func(t Schedule) bool {
		o := s.player.PlayOne(t)
		return o.Red && o.Cause == c
	})
	r := s.player.reduce(small, c)
	final := r.player.run(small)
	found := Finding{
		Story: []string{}, // none, if it is the order that is written
		ID:    c.ID(), Cause: c, Runs: f.runs, First: f.first,
		Schedule: entries(small), Message: firstFailed(final).Message,
		Dropped: r.dropped, Until: r.story.Until.String(),
		schedule: small, reduced: r, hash: final.Trace.Hash,
	}
	for _, p := range small {
		found.Story = append(found.Story, Describe(p))
	}
	s.report.Findings = append(s.report.Findings, found)
}

// Title is a finding in one line.
func (f *Finding) Title() string {
	if len(f.Story) == 0 {
		return f.Cause.String() + ", in the order that is written"
	}
	return f.Cause.String() + ", when " + strings.Join(f.Story, ", and ")
}
