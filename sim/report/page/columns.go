package page

import "github.com/vmreplay/vmreplay/sim/report/record"

// Columns are steps by field: numbers of one sort beside each other compress to
// less than half of what they do in rows. The page's script makes rows of them.
type columns struct {
	Names    []name   `json:"names"`    // the distinct names of decisions
	Outcomes []string `json:"outcomes"` // the distinct outcomes

	Name    []int     `json:"name"`
	Outcome []int     `json:"outcome"`
	N       []int     `json:"n"`
	After   []float64 `json:"after"` // since the step before
	Took    []float64 `json:"took"`  // from raised to granted
	Version []uint64  `json:"version"`
	State   []int     `json:"state"`
	// Rest is what few steps have.
	Rest []rest `json:"rest"`
}

type name struct {
	Lane    int    `json:"lane"`
	Process string `json:"process"`
	Verb    string `json:"verb"`
	Kind    string `json:"kind,omitempty"`
	Object  string `json:"object,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

type rest struct {
	Step      int              `json:"step"`
	Failed    bool             `json:"failed,omitempty"`
	Changes   []record.Change  `json:"changes,omitempty"`
	Exchange  *record.Exchange `json:"exchange,omitempty"`
	Perturbed string           `json:"perturbed,omitempty"`
	Held      bool             `json:"held,omitempty"`
}

// columnsOf leaves out what follows from the others: what a cache saw before.
func columnsOf(steps []record.Step) *columns {
	c := &columns{
		Names: []name{}, Outcomes: []string{}, Rest: []rest{}, Name: []int{}, Outcome: []int{}, N: []int{},
		After: []float64{}, Took: []float64{}, Version: []uint64{}, State: []int{},
	}
	names, outcomes := map[name]int{}, map[string]int{}
	last := 0.0
	for i := range steps {
		s := &steps[i]
		n := name{s.Lane, s.Process, s.Verb, s.Kind, s.Object, s.Detail}
		c.Name = append(c.Name, number(names, &c.Names, n))
		c.Outcome = append(c.Outcome, number(outcomes, &c.Outcomes, s.Outcome))
		c.N = append(c.N, s.N)
		c.After, last = append(c.After, nanos(s.At-last)), s.At
		c.Took = append(c.Took, nanos(s.At-s.Raised))
		c.Version = append(c.Version, s.Version)
		c.State = append(c.State, s.State)
		if s.Failed || s.Changes != nil || s.Exchange != nil || s.Perturbed != "" || s.Held {
			c.Rest = append(c.Rest, rest{i, s.Failed, s.Changes, s.Exchange, s.Perturbed, s.Held})
		}
	}
	return c
}

func number[T comparable](known map[T]int, list *[]T, value T) int {
	i, ok := known[value]
	if !ok {
		i = len(*list)
		known[value] = i
		*list = append(*list, value)
	}
	return i
}

// nanos rounds microseconds to nanoseconds: differences of floating point
// numbers have digits that mean nothing.
func nanos(us float64) float64 {
	n := int64(us*1000 + 0.5)
	if us < 0 {
		n = int64(us*1000 - 0.5)
	}
	return float64(n) / 1000
}
