package lockstep

import (
	"sync"
	"time"
)

// epochs hands out the instants at which runs start. They lie after the start of
// the real process and grow from run to run: packages keep timestamps in global
// variables, and time must never seem to go backwards to them.
var epochs = &epochSource{at: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}

type epochSource struct {
	mu sync.Mutex
	at time.Time
}

// next reserves a span of virtual time and returns its start, a whole minute.
func (e *epochSource) next(span time.Duration) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	at := e.at
	e.at = at.Add(span.Truncate(time.Minute) + time.Minute)
	return at
}
