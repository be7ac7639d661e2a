package standin

import "time"

// Backoff is a delay that doubles from First up to Cap.
type Backoff struct {
	First, Cap time.Duration
}

// ItemBackoff is the per-item limiter of client-go's default rate limiter: 5 ms
// doubling to 1000 s (kubevirt-behaviour 0.1).
var ItemBackoff = Backoff{First: 5 * time.Millisecond, Cap: 1000 * time.Second}

// Delay is how long to wait after the nth failure in a row, from 1.
func (b Backoff) Delay(n int) time.Duration {
	d := b.First
	for ; n > 1 && d < b.Cap; n-- {
		d *= 2
	}
	return min(d, b.Cap)
}
