package explore

import (
	"cmp"
	"fmt"
	"slices"
)

// Merge joins the reports of the shards of searches: one report for each scenario
// and variant. It fails if two reports do not go together.
func Merge(reports []*Report) ([]*Report, error) {
	var out []*Report
	for _, r := range reports {
		i := slices.IndexFunc(out, func(o *Report) bool { return o.Path == r.Path && o.Variant == r.Variant })
		if i < 0 {
			copied := *r
			copied.Shards, copied.Findings = slices.Clone(r.Shards), slices.Clone(r.Findings)
			out = append(out, &copied)
			continue
		}
		if err := out[i].join(r); err != nil {
			return nil, fmt.Errorf("%s, variant %s: %w", r.Path, r.Variant, err)
		}
	}
	for _, r := range out {
		if len(r.Shards) != r.Of {
			return nil, fmt.Errorf("%s, variant %s: expected the reports of %d shards, found those of shards %s", r.Path, r.Variant, r.Of, joinInts(r.Shards))
		}
		slices.SortFunc(r.Findings, func(a, b Finding) int { return cmp.Compare(a.First, b.First) })
	}
	return out, nil
}

// join adds another shard of the same search.
func (r *Report) join(o *Report) error {
	if r.Seed != o.Seed || r.Budget != o.Budget || r.Depth != o.Depth || r.Bound != o.Bound || r.Of != o.Of {
		return fmt.Errorf("the reports are of different searches: expected seed %d, budget %d, depth %d, bound %s and %d shards, found %d, %d, %d, %s and %d",
			r.Seed, r.Budget, r.Depth, r.Bound, r.Of, o.Seed, o.Budget, o.Depth, o.Bound, o.Of)
	}
	if err := r.joinPlan(o); err != nil {
		return err
	}
	for _, shard := range o.Shards {
		if slices.Contains(r.Shards, shard) {
			return fmt.Errorf("shard %d is there twice", shard)
		}
	}
	r.Shards = append(r.Shards, o.Shards...)
	slices.Sort(r.Shards)
	r.Interrupted = r.Interrupted || o.Interrupted
	r.Schedules.add(o.Schedules)
	r.Unapplied += o.Unapplied
	r.Unplayed += o.Unplayed
	r.NeverApplied = union(r.NeverApplied, o.NeverApplied)
	r.NoVerdict = append(r.NoVerdict, o.NoVerdict...)
	slices.SortFunc(r.NoVerdict, func(a, b NoVerdict) int { return cmp.Compare(a.Number, b.Number) })
	r.Coverage.join(o.Coverage)
	for _, f := range o.Findings {
		r.found(f)
	}
	return nil
}

// joinPlan compares what every shard knows of the whole search, unless it was
// interrupted before: which pairs and PCT schedules there are.
func (r *Report) joinPlan(o *Report) error {
	switch {
	case !r.Interrupted && !o.Interrupted:
		if r.Pairs != o.Pairs {
			return fmt.Errorf("shards %s and %s have searched in different programs or scenarios: expected %d pairs, %d of them left, found %d and %d",
				joinInts(r.Shards), joinInts(o.Shards), r.Pairs.All, r.Pairs.Kept, o.Pairs.All, o.Pairs.Kept)
		}
	case !o.Interrupted || r.Interrupted && o.Pairs.All > r.Pairs.All:
		r.Pairs, r.PCT = o.Pairs, o.PCT
	}
	return nil
}

// found adds a finding; of one cause, the one that was met first counts.
func (r *Report) found(f Finding) {
	i := slices.IndexFunc(r.Findings, func(o Finding) bool { return o.Cause == f.Cause })
	if i < 0 {
		r.Findings = append(r.Findings, f)
		return
	}
	runs := r.Findings[i].Runs + f.Runs
	if f.First < r.Findings[i].First {
		r.Findings[i] = f
	}
	r.Findings[i].Runs = runs
}

func (c *Counts) add(o Counts) {
	c.Written += o.Written
	c.Singles += o.Singles
	c.Pairs += o.Pairs
	c.PCT += o.PCT
	c.Random += o.Random
	c.Red += o.Red
}

func (c *Coverage) join(o Coverage) {
	c.PerturbedPoints = union(c.PerturbedPoints, o.PerturbedPoints)
	c.Perturbed = len(c.PerturbedPoints)
	c.Decisions, c.Rules = union(c.Decisions, o.Decisions), union(c.Rules, o.Rules)
	c.States, c.Judged = union(c.States, o.States), union(c.Judged, o.Judged)
	judged := func(name string) bool { return slices.Contains(c.Judged, name) }
	c.NeverJudged = slices.DeleteFunc(slices.Clone(c.NeverJudged), judged)
	c.NeverReached = slices.DeleteFunc(slices.Clone(c.NeverReached), judged)
}
