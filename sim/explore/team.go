package explore

import (
	"context"
	"sync"
)

// A Team is a Runner of several players in this process. It is for controllers
// that run in child processes of their own: those share no source of math/rand.
type Team struct{ players []*Player }

// NewTeam makes a team of n players, of which p is the model: they know its
// written order, and play side by side.
func NewTeam(n int, p *Player) *Team {
	t := &Team{}
	for range n {
		member := *p
		member.seen = map[string]bool{}
		t.players = append(t.players, &member)
	}
	return t
}

// Width implements Runner.
func (t *Team) Width() int { return len(t.players) }

// Play implements Runner. When ctx ends, it returns the outcomes of the first
// schedules, up to the first that was not played.
func (t *Team) Play(ctx context.Context, schedules []Schedule) ([]*Outcome, error) {
	out := make([]*Outcome, len(schedules))
	next := make(chan int)
	var running sync.WaitGroup
	for _, p := range t.players {
		running.Go(func() {
			for j := range next {
				out[j] = p.PlayOne(schedules[j])
			}
		})
	}
	for j := range schedules {
		if ctx.Err() != nil {
			break
		}
		next <- j
	}
	close(next)
	running.Wait()
	for j, o := range out {
		if o == nil {
			return out[:j], nil
		}
	}
	return out, nil
}
