//go:build conformance

package conformance

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/vmreplay/vmreplay/sim"
	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/lockstep"
)

// A liveHost drives a World in real time. What arrives from the network is done
// by one goroutine, as the engine wants it; the processes are ordinary clients
// and wait for nobody.
type liveHost struct {
	world     *sim.World
	api       *liveAPI
	programs  map[string]lockstep.Program
	processes map[string]*liveProcess
	answers   map[uint64]chan lockstep.Action // of calls, by exchange
	exchanges uint64

	mu       sync.Mutex
	arrived  []func()
	arrivals []lockstep.Arrival
	failed   error
	closed   bool
	wake     chan struct{}
}

// jitter is how late a timer may fire, and news of it be written down, on a machine
// whose processors have several servers to run.
const jitter = 100 * time.Millisecond

// runLive plays a story on a real server for some time; what comes after that,
// up to the story's end, is taken to be without events.
func runLive(ctx context.Context, p *pair, story *sim.Story, variant string, length time.Duration) (*sim.Result, error) {
	from, err := p.clear(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := &liveHost{programs: sim.Programs(story, variant), processes: map[string]*liveProcess{},
		answers: map[uint64]chan lockstep.Action{}, wake: make(chan struct{}, 1)}
	start := time.Now()
	h.world, err = sim.NewWorld(story, variant, start, sim.Options{Server: func(clock engine.Clock) (sim.API, sim.State) {
		h.api = newLiveAPI(ctx, p, h, clock, start)
		return h.api, h.api.state()
	}})
	if err != nil {
		return nil, err
	}
	defer h.close()
	go h.api.follow(from)
	if err := h.loop(ctx, start, length); err != nil {
		return nil, err
	}
	return h.world.Conclude(jitter), nil
}

// loop ends at the length of the run; the engine's clock then is at the end of
// the story, for the checks to decide.
func (h *liveHost) loop(ctx context.Context, start time.Time, length time.Duration) error {
	for {
		now := time.Since(start)
		if now >= length {
			h.world.Engine.Finish(h.world.Story.Until)
			return h.failure()
		}
		turn := h.turn(now, nil)
		if turn.Done {
			return h.failure()
		}
		arrived, arrivals, err := h.collect()
		if err != nil {
			return err
		}
		for _, f := range arrived {
			f()
		}
		if len(arrivals) > 0 || len(arrived) > 0 || len(turn.Actions) > 0 {
			h.turn(now, arrivals)
			continue
		}
		select {
		case <-h.wake:
		case <-time.After(time.Until(start.Add(min(turn.Until, length)))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (h *liveHost) turn(now time.Duration, arrivals []lockstep.Arrival) lockstep.Turn {
	turn := h.world.Quiesced(now, arrivals)
	for _, a := range turn.Actions {
		h.do(a)
	}
	return turn
}

func (h *liveHost) do(a lockstep.Action) {
	switch a.Kind {
	case lockstep.Start:
		h.processes[a.Process] = startLive(h, a.Process, a.Args)
	case lockstep.Stop:
		if p := h.processes[a.Process]; p != nil {
			p.stop()
		}
	case lockstep.Respond, lockstep.Fail:
		h.answers[a.ID] <- a
		delete(h.answers, a.ID)
	default:
		h.fail(fmt.Errorf("a real run has no use for the action %s", a.Kind))
	}
}

// collect takes what arrived.
func (h *liveHost) collect() ([]func(), []lockstep.Arrival, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	arrived, arrivals := h.arrived, h.arrivals
	h.arrived, h.arrivals = nil, nil
	return arrived, arrivals, h.failed
}

// post has the run's goroutine call f.
func (h *liveHost) post(f func()) {
	h.put(func() { h.arrived = append(h.arrived, f) })
}

// tell gives the engine an arrival.
func (h *liveHost) tell(a lockstep.Arrival) {
	h.put(func() { h.arrivals = append(h.arrivals, a) })
}

// ask is tell for a call, whose answer comes later.
func (h *liveHost) ask(a lockstep.Arrival) <-chan lockstep.Action {
	answer := make(chan lockstep.Action, 1)
	h.post(func() {
		h.exchanges++
		a.ID = h.exchanges
		h.answers[a.ID] = answer
		h.tell(a)
	})
	return answer
}

func (h *liveHost) put(add func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	add()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// fail ends the run: something went wrong that is no finding about the story.
func (h *liveHost) fail(err error) { h.put(func() { h.failed = err }) }

func (h *liveHost) failure() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failed
}

// close ends all processes and waits for them.
func (h *liveHost) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	for _, p := range h.processes {
		p.stop()
		<-p.done
	}
}
