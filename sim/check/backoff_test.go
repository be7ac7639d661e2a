package check

import (
	"testing"
	"time"

	"github.com/vmreplay/vmreplay/sim/engine"
	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A queue writes the notes of one key of a work queue, as a controller would.
type queue struct {
	trace *engine.Trace
	now   time.Duration
}

func (q *queue) note(op string) {
	q.trace.Notes = append(q.trace.Notes, engine.Note{
		At: q.now, Process: "c", Source: "vmim", Op: op, Key: "d/m", After: len(q.trace.Steps)})
}

// attempt works for a millisecond, after a wait.
func (q *queue) attempt(wait time.Duration, end ...string) {
	q.now += wait
	q.note(engine.QueueGet)
	q.now += ms
	for _, op := range end {
		q.note(op)
	}
	q.note(engine.QueueDone)
}

func (q *queue) fail(wait time.Duration)    { q.attempt(wait, engine.QueueRateLimited) }
func (q *queue) succeed(wait time.Duration) { q.attempt(wait, engine.QueueForget) }

const vmimDelays = "expected delays of 5ms, 10ms, 20ms, ... up to 40ms between attempts of d/m in queue vmim of c\n"

func TestBackoff(t *testing.T) {
	tests := []struct {
		name     string
		attempts int
		play     func(q *queue)
		want     verdict
	}{
		{"doubled up to the cap", 0, func(q *queue) {
			for _, wait := range []time.Duration{0, 5 * ms, 10 * ms, 20 * ms, 40 * ms, 40 * ms} {
				q.fail(wait)
			}
		}, verdict{true, 120 * ms, "6 attempts, each after its exact delay"}},
		{"just under a microsecond off", 0, func(q *queue) { q.fail(0); q.fail(5*ms + us - 1) }, verdict{true, 6*ms + us - 1, "2 attempts, each after its exact delay"}},
		{"a microsecond late", 0, func(q *queue) { q.fail(0); q.fail(5 * ms); q.fail(10*ms + us); q.fail(20 * ms) },
			verdict{false, 17*ms + us, vmimDelays + "found 4 attempts; the delay before attempt 3 is wrong:\n  5ms, >>10.001ms<< (expected 10ms), 20ms"}},
		{"a microsecond early", 0, func(q *queue) { q.fail(0); q.fail(5*ms - us) },
			verdict{false, 6*ms - us, vmimDelays + "found 2 attempts; the delay before attempt 2 is wrong:\n  >>4.999ms<< (expected 5ms)"}},
		{"anew after a success", 0, func(q *queue) { q.fail(0); q.fail(5 * ms); q.succeed(10 * ms); q.fail(s); q.fail(5 * ms) },
			verdict{true, s + 24*ms, "5 attempts, each after its exact delay"}},
		{"not anew after a success", 0, func(q *queue) { q.fail(0); q.succeed(5 * ms); q.fail(s); q.fail(10 * ms) },
			verdict{false, s + 18*ms, vmimDelays + "found 4 attempts; the delay before attempt 4 is wrong:\n  5ms, (forgotten, 1s), >>10ms<< (expected 5ms)"}},
		{"anew after a restart", 0, func(q *queue) {
			q.fail(0)
			q.fail(5 * ms)
			q.now += s
			q.trace.Steps = append(q.trace.Steps, engine.Step{Point: engine.Point{Process: "c", Verb: engine.VerbStart}, At: q.now})
			q.fail(3 * ms)
			q.fail(5 * ms)
		}, verdict{true, s + 16*ms, "4 attempts, each after its exact delay"}},
		{"as many as demanded", 2, func(q *queue) { q.fail(0); q.fail(5 * ms) }, verdict{true, 6 * ms, "2 attempts, each after its exact delay"}},
		{"fewer than demanded", 3, func(q *queue) { q.fail(0); q.fail(5 * ms) }, verdict{false, 10 * s, vmimDelays + "expected 3 attempts, found 2\n  5ms"}},
		{"more than demanded", 1, func(q *queue) { q.fail(0); q.fail(5 * ms) }, verdict{false, 10 * s, vmimDelays + "expected 1 attempts, found 2\n  5ms"}},
		{"one is no back-off", 0, func(q *queue) { q.fail(0) }, verdict{false, 10 * s, vmimDelays + "expected at least 2 attempts, found 1"}},
		{"none", 0, func(q *queue) {}, verdict{false, 10 * s, vmimDelays + "expected at least 2 attempts, found 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRun(t, scenario.Check{Name: "c", Backoff: &scenario.Backoff{
				Process: "c", Queue: "vmim", Key: "d/m", First: 5 * ms, Factor: 2, Cap: 40 * ms, Attempts: tt.attempts}}).start()
			tt.play(&queue{trace: &r.trace})
			wantVerdict(t, r.finish(10*s), tt.want)
		})
	}
}

func TestBackoffOfManyAttemptsShowsTheWrongOne(t *testing.T) {
	r := newRun(t, scenario.Check{Name: "c", Backoff: &scenario.Backoff{
		Process: "c", Queue: "vmim", Key: "d/m", First: ms, Factor: 1, Cap: s}}).start()
	q := queue{trace: &r.trace}
	for i := range 100 {
		q.fail(ms + time.Duration(i/50)*us)
	}
	got := r.finish(10 * s)
	wantVerdict(t, got, verdict{false, 50*2*ms + ms + us, `expected delays of 1ms, 1ms, 1ms, ... up to 1s between attempts of d/m in queue vmim of c
found 100 attempts; the delay before attempt 51 is wrong:
  ..., 1ms, 1ms, 1ms, 1ms, 1ms, 1ms, 1ms, 1ms, 1ms, 1ms, 1ms, 1ms, >>1.001ms<< (expected 1ms), 1.001ms, 1.001ms, 1.001ms, 1.001ms, 1.001ms, ...`})
}

func TestLimiterDelay(t *testing.T) {
	tests := []struct {
		name     string
		limiter  Limiter
		failures int
		want     time.Duration
	}{
		{"first of client-go's", defaultLimiter, 0, 5 * ms},
		{"eighteenth of client-go's", defaultLimiter, 17, 655*s + 360*ms},
		{"capped", defaultLimiter, 18, 1000 * s},
		{"capped for ever", defaultLimiter, 1000, 1000 * s},
		{"constant", Limiter{First: s, Factor: 1, Cap: 2 * s}, 1 << 40, s},
		{"no cap", Limiter{First: s, Factor: 10}, 3, 1000 * s},
		{"no cap and no overflow", Limiter{First: s, Factor: 10}, 100, 1<<63 - 1},
		{"first beyond the cap", Limiter{First: 2 * s, Factor: 2, Cap: s}, 0, s},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.limiter.Delay(tt.failures); got != tt.want {
				t.Errorf("delay after %d failures is %v, want %v", tt.failures, got, tt.want)
			}
		})
	}
}

// TestBackoffWithJitter: a real clock is not exact, but a wrong delay is wrong.
func TestBackoffWithJitter(t *testing.T) {
	for _, c := range []struct {
		name string
		last time.Duration
		ok   bool
	}{{"late", 20*ms + 4*ms, true}, {"early", 20*ms - 4*ms, true}, {"too late", 20*ms + 5*ms, false}, {"not doubled", 10 * ms, false}} {
		t.Run(c.name, func(t *testing.T) {
			r := newRun(t, scenario.Check{Name: "c", Backoff: &scenario.Backoff{
				Process: "c", Queue: "vmim", Key: "d/m", First: 5 * ms, Factor: 2, Cap: 40 * ms}}).start()
			r.monitor.Jitter(5 * ms)
			q := &queue{trace: &r.trace}
			for _, wait := range []time.Duration{0, 5 * ms, 10 * ms, c.last} {
				q.fail(wait)
			}
			if got := r.finish(10 * s)[0]; got.OK != c.ok {
				t.Errorf("want %v, found %v: %s", c.ok, got.OK, got.Message)
			}
		})
	}
}
