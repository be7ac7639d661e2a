package lockstep

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// asking is the engine of a run in a child: it asks the parent's. The root of
// the bubble waits in a read of a pipe, during which virtual time does not pass.
//
// A question and its answer make two processes take turns, which costs more than
// what the engine does in between. So what the engine has promised not to act upon
// (Turn.Lookahead) waits for the next question, if that comes soon. If it does not,
// the parent is told without a question: the last words of a process that dies
// meanwhile explain why.
type asking struct {
	wire  *wire
	start time.Time
	err   error

	until, lookahead time.Duration // of the last answer; until is also that of what arrived since
	late             []quiet       // what the parent does not know yet
	unasked          int           // quiet points since the last question
}

// mostUnasked bounds how long a child goes on that the engine has had enough of.
const mostUnasked = 64

func (e *asking) begin(start time.Time) Engine {
	e.start = start
	return e
}

func (e *asking) Quiesced(now time.Duration, arrivals []Arrival) Turn {
	if e.unasked >= mostUnasked || !e.promised(now, arrivals) {
		return e.answered(e.ask(now, arrivals))
	}
	if len(arrivals) == 0 {
		return Turn{Until: e.until}
	}
	e.unasked++
	e.late = append(e.late, quiet{now, slices.Clone(arrivals)})
	if slices.ContainsFunc(arrivals, isRequest) {
		e.until = min(e.until, now+e.lookahead)
	}
	if e.until-now > e.lookahead {
		e.failed(e.send(true))
	}
	return Turn{Until: e.until, Done: e.err != nil}
}

// promised says that the engine does nothing at this quiet point.
func (e *asking) promised(now time.Duration, arrivals []Arrival) bool {
	return e.lookahead > 0 && now < e.until && !slices.ContainsFunc(arrivals, isUrgent)
}

func isRequest(a Arrival) bool { return a.Kind == Request }

func isUrgent(a Arrival) bool { return a.Kind != Request && a.Kind != Note }

func (e *asking) answered(turn *Turn, err error) Turn {
	if err != nil {
		e.failed(err)
		return Turn{Done: true}
	}
	e.until, e.lookahead, e.unasked = turn.Until, turn.Lookahead, 0
	return *turn
}

func (e *asking) failed(err error) {
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("lockstep: ask the parent: %w", err)
	}
}

func (e *asking) ask(now time.Duration, arrivals []Arrival) (*Turn, error) {
	e.late = append(e.late, quiet{now, arrivals})
	if err := e.send(false); err != nil {
		return nil, err
	}
	f, err := e.wire.receive()
	if err != nil {
		return nil, err
	}
	if f.Turn == nil {
		return nil, errors.New("expected a turn, found another frame")
	}
	return f.Turn, nil
}

// send sends what the parent does not know yet.
func (e *asking) send(tell bool) error {
	err := e.wire.send(&frame{Ask: &ask{Start: e.start, Quiet: e.late, Tell: tell}})
	e.late = e.late[:0]
	return err
}

// asleep tells the parent that a long sleep goes on. What goes wrong with it goes
// wrong with the next question, too.
func (e *asking) asleep() { _ = e.wire.send(&frame{Alive: true}) }
