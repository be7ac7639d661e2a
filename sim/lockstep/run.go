package lockstep

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Options say what runs and for how long.
type Options struct {
	// Programs are the processes that the engine can start, by name.
	Programs map[string]Program
	// Horizon is the longest virtual time that the run can take.
	Horizon time.Duration
	// Seed seeds the global source of math/rand, which client-go draws jitter from.
	// It takes effect where the program sets GODEBUG randseednop=0.
	Seed uint64
	// Stuck is the real time without progress after which the watchdog ends the
	// run; 0 means 5 s.
	Stuck time.Duration
}

func (o Options) patience() time.Duration {
	if o.Stuck == 0 {
		return stuckAfter
	}
	return o.Stuck
}

// A Report says how a run ended, as far as the bubble knows. The engine knows the rest.
type Report struct {
	// Hung is the watchdog's text if the bubble stopped making progress, or the
	// error that made the run impossible. The bubble is abandoned then.
	Hung string
	// Leaks are goroutines that outlived their process, one text each.
	Leaks []string
}

// Clean says that the run left nothing behind.
func (r Report) Clean() bool { return r.Hung == "" && len(r.Leaks) == 0 }

// teardown is how long, in virtual time, processes have to end after they were
// stopped: client-go's delaying queue looks at its shutdown at least every 10 s.
const teardown = 11 * time.Second

// run is the state of one bubble.
type run struct {
	label     string
	seed      uint64
	programs  map[string]Program
	start     time.Time
	inbox     *inbox
	procs     sync.Mutex
	processes map[string]*process // those that are up; guarded by procs
	started   []*process          // all incarnations
	exchanges map[uint64]*exchange
	last      uint64 // ID of the newest exchange
	timer     *time.Timer

	patience  time.Duration // without progress, in real time
	hung      chan string   // the watchdog's diagnosis
	bubble    atomic.Uint64 // the runtime's number of the bubble
	turns     atomic.Uint64 // quiet points so far: what the watchdog watches
	deciding  sync.Mutex    // held while the engine decides
	abandoned bool          // guarded by deciding
	leaks     []string
	failed    error
}

var runs atomic.Uint64

// Run runs the programs in a bubble until the engine is done. newEngine gets the
// instant, on the bubble's clock, at which the run starts. t serves only to make
// the bubble; Run never fails it. Several Runs may go on side by side.
func Run(t *testing.T, newEngine func(start time.Time) Engine, o Options) Report {
	r := &run{
		label:     strconv.FormatUint(runs.Add(1), 10),
		seed:      o.Seed,
		programs:  o.Programs,
		start:     epochs.next(o.Horizon + teardown),
		processes: map[string]*process{},
		exchanges: map[uint64]*exchange{},
		patience:  o.patience(),
		hung:      make(chan string, 1),
	}
	engine := newEngine(r.start)
	defer watch(r)()
	ended := make(chan any, 1)
	go func() {
		defer func() { ended <- recover() }()
		synctest.Test(t, func(*testing.T) { r.root(engine) })
	}()
	select {
	case text := <-r.hung:
		return Report{Hung: text}
	case p := <-ended:
		return r.report(p)
	}
}

func (r *run) report(recovered any) Report {
	rep := Report{Leaks: r.leaks}
	switch {
	case r.failed != nil:
		rep.Hung = r.failed.Error()
	case recovered == nil:
	case isDeadlock(recovered):
		// The bubble's root returned and goroutines stayed.
		rep.Leaks = append(rep.Leaks, leaked(r.label, r.bubble.Load())...)
	default:
		rep.Hung = fmt.Sprintf("the run ended with a panic: %v", recovered)
	}
	return rep
}

// isDeadlock tells the panic of a bubble whose goroutines all wait for ever.
func isDeadlock(recovered any) bool {
	err, ok := recovered.(error)
	return ok && len(err.Error()) > 9 && err.Error()[:9] == "deadlock:"
}

// root is the bubble's first goroutine.
func (r *run) root(engine Engine) {
	bubble := currentBubble()
	r.bubble.Store(bubble)
	seedGlobal(r.seed)
	r.inbox = newInbox()
	bubbles.Store(bubble, r)
	defer bubbles.Delete(bubble)
	r.timer = time.NewTimer(0)
	<-r.timer.C
	// Package-level timestamps of client-go were taken at the start of the
	// process; the run must not lie before them.
	time.Sleep(time.Until(r.start))
	r.loop(engine)
	for _, p := range r.started {
		r.stop(p.name)
	}
	r.inbox.close()
	if r.givenUp() {
		freeze()
	}
	time.Sleep(teardown)
	synctest.Wait()
	r.turns.Add(1)
	for _, p := range r.started {
		select {
		case <-p.done:
		default:
			r.leaks = append(r.leaks, fmt.Sprintf("process %s did not return within %v after it was stopped", p.name, teardown))
		}
	}
}

// loop alternates between the quiet points of the bubble and the engine's turns.
func (r *run) loop(engine Engine) {
	arrivals := make([]Arrival, 0, 16)
	for {
		synctest.Wait()
		r.turns.Add(1)
		arrivals = arrivals[:0]
		for _, p := range r.inbox.take() {
			arrivals = append(arrivals, r.number(p))
		}
		turn, ok := r.decide(engine, arrivals)
		if !ok || turn.Done {
			return
		}
		for i := range turn.Actions {
			if err := r.do(&turn.Actions[i]); err != nil {
				r.failed = err
				return
			}
		}
		if len(turn.Actions) == 0 {
			r.sleep(turn.Until, engine)
		}
	}
}

// decide asks the engine, unless the watchdog has given the run up.
func (r *run) decide(engine Engine, arrivals []Arrival) (Turn, bool) {
	r.deciding.Lock()
	defer r.deciding.Unlock()
	if r.abandoned {
		return Turn{}, false
	}
	return engine.Quiesced(time.Since(r.start), arrivals), true
}

func (r *run) givenUp() bool {
	r.deciding.Lock()
	defer r.deciding.Unlock()
	return r.abandoned
}

// freeze never returns and lets no virtual time pass: a goroutine that waits for
// a lock is not durably blocked. So what an abandoned bubble left behind neither
// spins through its timers nor reports to a test that has long ended.
func freeze() {
	var mu sync.Mutex
	mu.Lock()
	mu.Lock()
}

// number gives an exchange its ID, in sorted order.
func (r *run) number(p posting) Arrival {
	if p.exchange == nil {
		return p.Arrival
	}
	if p.Kind == Cancel {
		delete(r.exchanges, p.ID)
		return p.Arrival
	}
	r.last++
	p.exchange.id, p.ID = r.last, r.last
	r.exchanges[p.ID] = p.exchange
	return p.Arrival
}

// sleep lets virtual time pass until an instant, or until something arrives.
func (r *run) sleep(until time.Duration, engine Engine) {
	d := until - time.Since(r.start)
	if d <= 0 {
		return
	}
	for ; d > 0; d -= slice {
		r.timer.Reset(min(d, slice))
		select {
		case <-r.timer.C:
			r.turns.Add(1)
			if e, ok := engine.(sleeper); ok && d > slice {
				e.asleep()
			}
		case <-r.inbox.wake:
			r.timer.Stop()
			return
		}
	}
}

// A sleeper is an engine that is told of each slice of a long sleep.
type sleeper interface{ asleep() }

// slice is how much virtual time passes at most without a sign of life to the
// watchdog: a processes' tickers can make a very long sleep take real seconds.
const slice = time.Hour

// do carries out one action. An error is the engine's mistake.
func (r *run) do(a *Action) error {
	switch a.Kind {
	case Start:
		return r.startProcess(a.Process, a.Args)
	case Stop:
		r.stop(a.Process)
		return nil
	}
	x, ok := r.exchanges[a.ID]
	if !ok {
		return fmt.Errorf("lockstep: %s of exchange %d, which is not open", a.Kind, a.ID)
	}
	switch a.Kind {
	case Respond, Fail:
		delete(r.exchanges, a.ID)
		x.reply <- *a
	case Open:
		x.reply <- *a
	case Send:
		x.body.send(a.Body, nil)
	case End:
		delete(r.exchanges, a.ID)
		end := io.EOF
		if a.Error != "" {
			end = errors.New(a.Error)
		}
		x.body.send(nil, end)
	default:
		return fmt.Errorf("lockstep: unknown action %q", a.Kind)
	}
	return nil
}
