package check

import (
	"math"
	"time"

	"github.com/vmreplay/vmreplay/sim/scenario"
)

// A Limiter is the per-key back-off of a queue. Empty names match everything.
type Limiter struct {
	Process, Queue, Key string

	First  time.Duration
	Factor int
	Cap    time.Duration // 0 means none
}

// defaultLimiter is client-go's: 5 ms, doubled, up to 1,000 s.
var defaultLimiter = Limiter{First: 5 * time.Millisecond, Factor: 2, Cap: 1000 * time.Second}

func limiterOf(b *scenario.Backoff) Limiter {
	return Limiter{b.Process, b.Queue, b.Key, b.First, b.Factor, b.Cap}
}

// Delay is the delay after the given number of earlier failures.
func (l Limiter) Delay(failures int) time.Duration {
	most := l.Cap
	if most <= 0 {
		most = math.MaxInt64
	}
	factor := time.Duration(max(1, l.Factor))
	d := l.First
	for range failures {
		if factor == 1 || d >= most {
			break
		}
		if d > most/factor {
			return most
		}
		d *= factor
	}
	return min(d, most)
}

func (l Limiter) covers(h *history) bool {
	return (l.Process == "" || l.Process == h.process) &&
		(l.Queue == "" || l.Queue == h.queue) &&
		(l.Key == "" || l.Key == h.key)
}
