package machine

import (
	"errors"
	"fmt"

	"github.com/vmreplay/vmreplay/sim/apiserver"
	"github.com/vmreplay/vmreplay/sim/cluster/facts"
	"github.com/vmreplay/vmreplay/sim/cluster/standin"
)

// syncRunStrategy starts or stops the instance (kubevirt-behaviour A.3).
func (p *pass) syncRunStrategy(strategy string) standin.Plan {
	switch decide(strategy, standin.String(p.content, "status", "runStrategy"), p.vmi, p.next()) {
	case start:
		return p.start(strategy)
	case startGated:
		if left := startBackoffLeft(p.content, p.Gate.Wall()); left > 0 {
			p.queue.AddAfter(p.key, left, "start failure back-off")
			return p.afterRunStrategy()
		}
		return p.start(strategy)
	case stop:
		return p.stop(p.afterStop)
	case stopAndStart:
		return p.stop(p.requestStart)
	case unhalt:
		return p.unhalt()
	case unknown:
		return p.updateStatus(&syncError{failedCreate, fmt.Errorf("unknown runstrategy: %s", strategy)})
	case notAReceiver:
		return p.updateStatus(&syncError{failedCreate, errors.New("the instance does not wait for a migration")})
	}
	return p.afterRunStrategy()
}

// next is the first of the machine's requests; nil if there is none.
func (p *pass) next() *facts.StateChange {
	requests := facts.StateChanges(p.content)
	if len(requests) == 0 {
		return nil
	}
	return &requests[0]
}

func (p *pass) afterStop(failure *syncError) standin.Plan {
	if failure != nil {
		return p.updateStatus(failure)
	}
	return p.afterRunStrategy()
}

// requestStart asks for the next start of a machine under RerunOnFailure.
func (p *pass) requestStart(failure *syncError) standin.Plan {
	if failure != nil {
		return p.updateStatus(failure)
	}
	return p.addStartRequest(func(err error) standin.Plan {
		if err != nil {
			return p.updateStatus(&syncError{failedDelete, fmt.Errorf("failed to patch VM with start action: %w", err)})
		}
		return p.afterRunStrategy()
	})
}

// addStartRequest appends a request to start. The patch tests nothing, and of what
// it returns only the status is taken over: the resourceVersion in hand stays the
// old one, so the status write of this pass will conflict if it has anything to
// write.
func (p *pass) addStartRequest(next func(error) standin.Plan) standin.Plan {
	list, _ := standin.Field(p.content, "status", "stateChangeRequests").([]any)
	list = append(append([]any{}, list...), map[string]any{"action": facts.ActionStart})
	ops := []standin.Op{{Op: "add", Path: "/status/stateChangeRequests", Value: list}}
	return standin.Then(p.PatchJSON(p.vm.Ref, ops, standin.Status), func(patched *apiserver.Object, failed error) standin.Plan {
		if failed != nil {
			return next(failed)
		}
		p.content["status"] = standin.Field(patched.Content(), "status")
		return next(nil)
	})
}

// unhalt makes a halted machine one that always runs, as a request to start it
// asks for in the old API. The pass fails either way, as in the original: the
// event of the write, or the retry, goes on.
func (p *pass) unhalt() standin.Plan {
	content := standin.Edit(p.content)
	if standin.String(content, "spec", "runStrategy") != "" {
		standin.Set(content, facts.RunAlways, "spec", "runStrategy")
	} else {
		standin.Set(content, true, "spec", "running")
	}
	return standin.Then(p.Update(p.vm.Ref, content, ""), func(_ *apiserver.Object, failed error) standin.Plan {
		if failed == nil {
			failed = errUnhalted
		}
		return p.updateStatus(&syncError{failedCreate, fmt.Errorf("failure while starting VMI: %w", failed)})
	})
}

var errUnhalted = errors.New("the run strategy was changed from Halted")
