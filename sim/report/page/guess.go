package page

import "github.com/vmreplay/vmreplay/sim/report/record"

// A guesser knows which state of an object comes next: what a write found, what a
// cache sees and what a read answers is nearly always the state that was
// written. Only where that is not so does the page need to say which.
type guesser struct {
	last map[object]int   // the state that was written last
	at   map[revision]int // the state of that version
}

type object struct{ kind, key string }

type revision struct {
	object
	version uint64
}

// guessed puts for every number of a state how it is said: 0 as guessed, else the
// number and two, so that there is a word for none, which is -1. The page's script
// guesses the same.
func guessed(steps []record.Step) []record.Step {
	g := guesser{last: map[object]int{}, at: map[revision]int{}}
	for i := range steps {
		g.step(&steps[i])
	}
	return steps
}

func (g *guesser) step(s *record.Step) {
	// Before the step writes: a write says what it wrote, and has seen nothing.
	this := revision{object{s.Kind, s.Object}, s.Version}
	state, known := g.at[this]
	if !known {
		state = -1
	}
	written := -1
	for i := range s.Changes {
		c := &s.Changes[i]
		o := object{c.Kind, c.Key}
		found, known := g.last[o]
		if !known {
			found = -1
		}
		written = c.After
		g.last[o], g.at[revision{o, c.Version}] = written, written
		c.Before = said(c.Before, found)
	}
	if s.State >= 0 {
		g.at[this] = s.State
	}
	if s.Exchange != nil {
		answer := s.State
		if answer < 0 {
			answer = written
		}
		s.Exchange.Answer = said(s.Exchange.Answer, answer)
	}
	s.State = said(s.State, state)
}

func said(number, guess int) int {
	if number == guess {
		return 0
	}
	return number + 2
}
