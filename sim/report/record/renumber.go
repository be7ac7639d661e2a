package record

import "slices"

// Renumbered is a record whose lanes and blobs have other numbers, for records
// that share them: what was number i is number lanes[i], or blobs[i]. Lanes and
// Blobs themselves are left out. The record itself stays as it is.
func (r *Record) Renumbered(lanes, blobs []int) *Record {
	blob := func(i int) int {
		if i < 0 {
			return i
		}
		return blobs[i]
	}
	out := *r
	out.Lanes, out.Blobs = nil, nil
	out.Steps, out.Notes, out.Keys = slices.Clone(r.Steps), slices.Clone(r.Notes), slices.Clone(r.Keys)
	for i := range out.Steps {
		s := &out.Steps[i]
		s.Lane, s.State = lanes[s.Lane], blob(s.State)
		s.Changes = slices.Clone(s.Changes)
		for j := range s.Changes {
			c := &s.Changes[j]
			c.Lane, c.Before, c.After = lanes[c.Lane], blob(c.Before), blob(c.After)
		}
		if s.Exchange != nil {
			x := *s.Exchange
			x.Body, x.Answer = blob(x.Body), blob(x.Answer)
			s.Exchange = &x
		}
	}
	for i := range out.Notes {
		out.Notes[i].Lane = lanes[out.Notes[i].Lane]
	}
	for i := range out.Keys {
		out.Keys[i].Lane = lanes[out.Keys[i].Lane]
	}
	return &out
}
