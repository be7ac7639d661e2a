package standin

import (
	"errors"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/engine"
)

// A Plan is what a reconcile wants done: writes, one after another. A write that
// fails ends the plan.
type Plan struct {
	Writes []Write
	// Err is what the reconcile itself failed with; the key comes back with
	// back-off after the writes.
	Err error
	// Next, if not nil, goes on when the writes are done, in place of Err. It is
	// told what the last one returned, which may be nil, and the first failure.
	Next func(last *apiserver.Object, failed error) Plan
}

// Then is the plan of one write, with what comes after it.
func Then(w Write, next func(written *apiserver.Object, failed error) Plan) Plan {
	return Plan{Writes: []Write{w}, Next: next}
}

// A Write is one API write: one decision at the gate.
type Write struct {
	Verb   string // create, update, patch, delete
	Ref    engine.Ref
	Detail string // subresource
	// Do executes it. previous is what the write before it in the plan returned.
	Do func(previous *apiserver.Object) (*apiserver.Object, error)
	// Continue says that the plan goes on if this write fails; the failure then
	// counts at the end of the plan.
	Continue bool
	// Ignore says which failures count as success.
	Ignore func(error) bool
	// Then, if not nil, is told how it went.
	Then func(error)
}

// Run executes writes outside of any queue and calls done, if not nil, with the
// first failure or nil.
func (s *StandIn) Run(writes []Write, done func(error)) {
	s.run(writes, nil, nil, func(_ *apiserver.Object, failed error) {
		if done != nil {
			done(failed)
		}
	})
}

// execute carries out a plan with all that comes after it.
func (s *StandIn) execute(plan Plan, done func(error)) {
	s.run(plan.Writes, nil, nil, func(last *apiserver.Object, failed error) {
		switch {
		case plan.Next != nil:
			s.execute(plan.Next(last, failed), done)
		case failed != nil:
			done(failed)
		default:
			done(plan.Err)
		}
	})
}

// run executes the rest of a plan: previous is what the last write returned,
// failed the first failure so far.
func (s *StandIn) run(writes []Write, previous *apiserver.Object, failed error, done func(*apiserver.Object, error)) {
	if len(writes) == 0 {
		done(previous, failed)
		return
	}
	w := writes[0]
	p := engine.Point{Verb: w.Verb, Kind: w.Ref.Kind, Object: w.Ref.Key(), Detail: w.Detail}
	s.submit(p, func() engine.Outcome {
		obj, err := w.Do(previous)
		out := outcome(obj, err)
		if err != nil && w.Ignore != nil && w.Ignore(err) {
			err = nil
		}
		if w.Then != nil {
			w.Then(err)
		}
		if err != nil && !w.Continue {
			done(nil, err)
			return out
		}
		if failed == nil {
			failed = err
		}
		s.run(writes[1:], obj, failed, done)
		return out
	})
}

func outcome(obj *apiserver.Object, err error) engine.Outcome {
	if err != nil {
		return engine.Outcome{Text: describe(err)}
	}
	out := engine.Outcome{Text: OK}
	if obj != nil {
		out.Version = obj.Version()
	}
	return out
}

// describe shortens an API error to what traces show: "409 Conflict".
func describe(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		s := status.Status()
		return strconv.Itoa(int(s.Code)) + " " + string(s.Reason)
	}
	return err.Error()
}
